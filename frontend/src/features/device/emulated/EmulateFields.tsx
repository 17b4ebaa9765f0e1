// The fields of a new emulated disk, each with a sentence on what it means.
import { Button, Checkbox, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import type { DiskModel, Host } from "../../../api/client";
import { HostSelect, LifeSelect, MediumChoice } from "../SandboxFields";
import { bytes, formatBytes } from "../../../shared/units";
import { ChoiceField } from "../../../shared/ui/ChoiceField";
import {
  bytesOf,
  keptPathsOf,
  modelOf,
  presets,
  typedOf,
  usualDraft,
  usualLimitOf,
  type Draft,
  type Problems,
} from "./draft";
import { capacityOf } from "./modelled";
import { ModelledFields } from "./ModelledFields";
import { SeedField } from "./SeedField";
import classes from "./EmulateDialog.module.css";
import { below, contents, times } from "./words";

interface Props {
  draft: Draft;
  problems: Problems;
  models: readonly DiskModel[];
  onChange: (part: Partial<Draft>) => void;
}

export function SizeField({ draft, problems, models, onChange }: Props) {
  const model = modelOf(draft, models);
  const most_bytes = model === null ? Infinity : capacityOf(draft, model);
  const offered = [
    ...presets.filter((size) => size <= most_bytes),
    ...(most_bytes < Infinity ? [most_bytes] : []),
  ];
  return (
    <div>
      <TextInput
        label="Size"
        description="What the file system on the disk sees, up to 1 PiB. The host needs much less."
        {...below}
        value={draft.size}
        onChange={(event) => onChange({ size: event.currentTarget.value })}
        onFocus={(event) => event.currentTarget.select()}
        error={problems.size}
        autoComplete="off"
        data-autofocus
      />
      <div className={classes.presets} role="group" aria-label="Usual sizes">
        {offered.map((size) => {
          const isChosen = bytesOf(draft.size) === bytesOf(typedOf(size));
          return (
            <Button
              key={size}
              variant={isChosen ? "outline" : "default"}
              size="compact-sm"
              aria-pressed={isChosen}
              onClick={() => onChange({ size: typedOf(size) })}
              title={formatBytes(bytes(size)).exact}
            >
              {size === most_bytes ? `As modelled, ${typedOf(size)}` : typedOf(size)}
            </Button>
          );
        })}
      </div>
    </div>
  );
}

export function ModelFields({ draft, problems, models, onChange }: Props) {
  const model = modelOf(draft, models);
  return (
    <>
      <Select
        label="Disk model"
        description={model?.description ?? "The time that a disk would take is not predicted."}
        {...below}
        data={[
          { value: "", label: "No model" },
          ...models.map(({ name, label }) => ({ value: name, label })),
        ]}
        value={draft.model ?? ""}
        onChange={(name) => onChange({ model: name === "" ? null : name })}
        error={problems.model}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      {model !== null && (
        <>
          <ChoiceField
            label="Time"
            choices={times}
            value={draft.time}
            onChange={(time) => onChange({ time })}
          />
          <ModelledFields draft={draft} problems={problems} onChange={onChange} />
        </>
      )}
    </>
  );
}

export function ContentFields({ draft, problems, onChange }: Props) {
  return (
    <>
      <ChoiceField
        label="Content of dropped data"
        choices={contents}
        value={draft.data}
        onChange={(data) => onChange({ data })}
      />
      {draft.data !== "zeroes" && (
        <NumberInput
          label="Compressible"
          description="The part of each block that compresses to almost nothing."
          {...below}
          value={draft.compressible_percent ?? ""}
          onChange={(typed) => onChange({ compressible_percent: typeof typed === "number" ? typed : null })}
          error={problems.compressible_percent}
          min={0}
          max={100}
          clampBehavior="strict"
          suffix=" %"
        />
      )}
    </>
  );
}

export function PlaceFields({ draft, problems, hosts, onChange }: Props & { hosts: readonly Host[] }) {
  const usual = formatBytes(bytes(usualLimitOf(draft))).text;
  return (
    <>
      <TextInput
        label="Storage limit on the host"
        description={
          "The most that the disk may store there, counted as used from the start. Once it is full, writes of " +
          "what must be kept fail: no space left."
        }
        {...below}
        placeholder={usual}
        value={draft.limit}
        onChange={(event) => onChange({ limit: event.currentTarget.value })}
        error={problems.limit}
        autoComplete="off"
      />
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
    </>
  );
}

/** Returns how many of the further choices differ from the usual ones. */
function changedCount(draft: Draft): number {
  const { seed, keeps_all, life } = draft;
  const keepsPaths = keptPathsOf(draft).length > 0;
  return [seed !== usualDraft.seed, keeps_all, keepsPaths, life !== usualDraft.life].filter(Boolean).length;
}

export function MoreFields({ draft, problems, onChange }: Props) {
  const count = changedCount(draft);
  return (
    <details>
      <summary>More{count > 0 && ` (${count} changed)`}</summary>
      <div className={classes.more}>
        <Checkbox
          label="Keep all data"
          description="Nothing is dropped: the host then stores all that is written."
          checked={draft.keeps_all}
          onChange={(event) => onChange({ keeps_all: event.currentTarget.checked })}
        />
        {!draft.keeps_all && (
          <Textarea
            label="Paths kept as written"
            description="One a line, from the root of the file system: database/** or etc/*.conf. Other data is dropped."
            {...below}
            value={draft.kept_paths}
            onChange={(event) => onChange({ kept_paths: event.currentTarget.value })}
            error={problems.kept_paths}
            autosize
            minRows={1}
            maxRows={6}
          />
        )}
        <SeedField
          description="Equal seeds generate equal data, and equal times."
          {...below}
          seed={draft.seed}
          onSeed={(seed) => onChange({ seed })}
          error={problems.seed}
        />
        <LifeSelect life={draft.life} onChange={(life) => onChange({ life })} />
      </div>
    </details>
  );
}
