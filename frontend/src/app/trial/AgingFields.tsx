// What is aged first: file systems, and the states that each of them gets.
import { ActionIcon, Button, Checkbox, Group, NumberInput, Select, Switch } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { FileSystem } from "../../api/client";
import { profilesQuery } from "../../features/profile/queries";
import { CountField } from "./CountField";
import classes from "./NewTrial.module.css";
import { usualState, type AgedState, type Draft } from "./draft";

const offered: readonly FileSystem[] = ["ext4", "xfs", "btrfs", "ext3", "ext2", "f2fs", "smrfs"];
const MOST_STATES = 4;

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

function Rounds({ state, onChange }: { state: AgedState; onChange: (state: AgedState) => void }) {
  return (
    <>
      <CountField
        label="Rounds"
        least={0}
        most={1_000_000}
        value={state.rounds}
        onChange={(rounds) => onChange({ ...state, rounds })}
        width={120}
      />
      <CountField
        label="Rounds between images"
        least={1}
        most={1_000_000}
        value={state.every}
        onChange={(every) => onChange({ ...state, every })}
        width={180}
      />
    </>
  );
}

function State({
  state,
  place,
  onChange,
  onRemove,
}: {
  state: AgedState;
  place: number;
  onChange: (state: AgedState) => void;
  onRemove: (() => void) | null;
}) {
  const { data: profiles = [] } = useQuery(profilesQuery);
  return (
    <Group gap="xs" align="flex-end" role="group" aria-label={`State ${place}`}>
      <Select
        label="Aged by"
        data={[
          { group: "Profiles", items: profiles.map(({ name, title }) => ({ value: name, label: title })) },
          {
            group: "Without a profile",
            items: [
              { value: "fsfb", label: "fsfb, rounds" },
              { value: "fresh", label: "fresh, not aged" },
            ],
          },
        ]}
        value={state.goal}
        onChange={(goal) => goal !== null && onChange({ ...state, goal })}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
        w={220}
      />
      {state.goal !== "fresh" && (
        <NumberInput
          label="Fullness, %"
          min={1}
          max={95}
          clampBehavior="blur"
          value={state.percent}
          onChange={(percent) => typeof percent === "number" && onChange({ ...state, percent })}
          w={120}
        />
      )}
      {state.goal === "fsfb" && <Rounds state={state} onChange={onChange} />}
      {onRemove !== null && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={`Remove state ${place}`}
          onClick={onRemove}
        >
          <IconX size={18} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

export function AgingFields({ draft, onChange }: Props) {
  const { file_systems, states } = draft;
  const toggle = (name: FileSystem) =>
    onChange({
      file_systems: file_systems.includes(name)
        ? file_systems.filter((other) => other !== name)
        : offered.filter((other) => other === name || file_systems.includes(other)),
    });
  return (
    <div className={classes.end}>
      <Group gap="md" role="group" aria-label="File systems">
        {offered.map((name) => (
          <Checkbox
            key={name}
            label={name}
            checked={file_systems.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </Group>
      {states.map((state, index) => (
        <State
          key={index}
          state={state}
          place={index + 1}
          onChange={(changed) =>
            onChange({ states: states.map((other, place) => (place === index ? changed : other)) })
          }
          onRemove={
            states.length === 1
              ? null
              : () => onChange({ states: states.filter((_, place) => place !== index) })
          }
        />
      ))}
      {states.length < MOST_STATES && (
        <Button
          variant="default"
          onClick={() => onChange({ states: [...states, { ...usualState, percent: 90 }] })}
        >
          Add a state
        </Button>
      )}
      <Switch
        label="Measure the unaged twins too"
        description="The files of the first aged state, created once on a fresh file system."
        checked={draft.addsTwins}
        onChange={(event) => onChange({ addsTwins: event.currentTarget.checked })}
      />
    </div>
  );
}
