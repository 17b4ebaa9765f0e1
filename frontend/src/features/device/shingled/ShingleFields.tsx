// The fields of a new shingled disk, each with a sentence on what it means.
import { NumberInput, Select, TextInput } from "@mantine/core";
import type { DiskModel, Host } from "../../../api/client";
import { ChoiceField } from "../../../shared/ui/ChoiceField";
import { below } from "../emulated/words";
import { HostSelect, LifeSelect, MediumChoice } from "../SandboxFields";
import { cleaners, interfaces, policies } from "./choices";
import { MOST_BLOCKS, type Draft, type Problems } from "./draft";

interface Props {
  draft: Draft;
  problems: Problems;
  onChange: (part: Partial<Draft>) => void;
}

interface BlocksProps {
  label: string;
  description: string;
  value: number | null;
  error: string | undefined;
  onBlocks: (blocks: number | null) => void;
}

function BlocksField({ value, onBlocks, ...props }: BlocksProps) {
  return (
    <NumberInput
      {...props}
      {...below}
      value={value ?? ""}
      onChange={(typed) => onBlocks(typeof typed === "number" ? typed : null)}
      min={0}
      max={MOST_BLOCKS}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
    />
  );
}

export function SizeField({ draft, problems, onChange }: Props) {
  return (
    <TextInput
      label="Size"
      description="A 32nd, at least 16 MiB, is an unshingled partition for names and attributes."
      {...below}
      value={draft.size}
      onChange={(event) => onChange({ size: event.currentTarget.value })}
      onFocus={(event) => event.currentTarget.select()}
      error={problems.size}
      autoComplete="off"
      data-autofocus
    />
  );
}

/** What the disk does with a write. */
export function DiskFields({ draft, problems, onChange }: Props) {
  const isCaveat = draft.shingling === "caveat";
  return (
    <>
      <ChoiceField
        label="Interface"
        choices={interfaces}
        value={draft.shingling}
        onChange={(shingling) => onChange({ shingling })}
      />
      <BlocksField
        label="DID"
        description={
          isCaveat
            ? "Blocks of 4 KiB behind a write that it may damage."
            : "Blocks of 4 KiB behind a write that it may damage: the gap behind each band."
        }
        value={draft.did_blocks}
        error={problems.did_blocks}
        onBlocks={(did_blocks) => onChange({ did_blocks })}
      />
      {isCaveat ? (
        <BlocksField
          label="DNOR"
          description="Blocks behind a write that it never damages, at most the DID."
          value={draft.dnor_blocks}
          error={problems.dnor_blocks}
          onBlocks={(dnor_blocks) => onChange({ dnor_blocks })}
        />
      ) : (
        <TextInput
          label="Band"
          description="Size of a band. A file lies within one; a longer one has bands of its own."
          {...below}
          value={draft.band}
          onChange={(event) => onChange({ band: event.currentTarget.value })}
          error={problems.band}
          autoComplete="off"
        />
      )}
    </>
  );
}

/** What SMRfs does on the disk. */
export function PolicyField({ draft, onChange }: Omit<Props, "problems">) {
  return draft.shingling === "caveat" ? (
    <ChoiceField
      label="Policy of placement"
      choices={policies}
      value={draft.policy}
      onChange={(policy) => onChange({ policy })}
    />
  ) : (
    <ChoiceField
      label="Cleaner"
      choices={cleaners}
      value={draft.clean}
      onChange={(clean) => onChange({ clean })}
    />
  );
}

export function ModelField({ draft, problems, models, onChange }: Props & { models: readonly DiskModel[] }) {
  return (
    <Select
      label="Disk model"
      description={
        draft.model === null
          ? "The time that a disk would take is not predicted."
          : "The disk is emulated: its time is predicted, not waited for. All data is kept, so it may store its whole size on the host, which counts as used from the start."
      }
      {...below}
      data={[{ value: "", label: "No model" }, ...models.map(({ name, label }) => ({ value: name, label }))]}
      value={draft.model ?? ""}
      onChange={(name) => onChange({ model: name === "" ? null : name })}
      error={problems.model}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

export function PlaceFields({ draft, problems, hosts, onChange }: Props & { hosts: readonly Host[] }) {
  return (
    <>
      <MediumChoice medium={draft.medium} onChange={(medium) => onChange({ medium })} />
      <TextInput
        label="Name"
        description="Optional."
        {...below}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.name}
        maxLength={60}
      />
      <HostSelect hosts={hosts} name={draft.host_name} onChange={(host_name) => onChange({ host_name })} />
      <LifeSelect life={draft.life} onChange={(life) => onChange({ life })} />
    </>
  );
}
