// The settings of a study.
import { Checkbox, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { nameOfPolicy } from "../../features/study/words";
import { CountField } from "../trial/CountField";
import { cleaners, limits, policies, type Draft } from "./draft";
import classes from "./NewStudy.module.css";

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

function Choices<Value extends string>({
  label,
  description,
  all,
  chosen,
  nameOf,
  onChange,
}: {
  label: string;
  description: string;
  all: readonly Value[];
  chosen: readonly Value[];
  nameOf: (value: Value) => string;
  onChange: (chosen: Value[]) => void;
}) {
  return (
    <Checkbox.Group
      label={label}
      description={description}
      value={[...chosen]}
      // In the order of the list, not of the clicks.
      onChange={(values) => onChange(all.filter((value) => values.includes(value)))}
    >
      <div className={classes.choices}>
        {all.map((value) => (
          <Checkbox key={value} value={value} label={nameOf(value)} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function WhatFields({ draft, onChange }: Props) {
  return (
    <div className={classes.what}>
      <SegmentedControl
        aria-label="What is simulated"
        data={[
          { value: "capacity", label: "Capacity" },
          { value: "cleaning", label: "Cleaning" },
        ]}
        value={draft.kind}
        onChange={(value) => onChange({ kind: value === "capacity" ? "capacity" : "cleaning" })}
        transitionDuration={0}
      />
      <Choices
        label="Policies of placement"
        description="Caveat-Scriptor: where files are placed"
        all={policies}
        chosen={draft.policies}
        nameOf={nameOfPolicy}
        onChange={(chosen) => onChange({ policies: chosen })}
      />
      {draft.kind === "cleaning" && (
        <Choices
          label="Cleaners"
          description="Strict append: which band is cleaned"
          all={cleaners}
          chosen={draft.cleaners}
          nameOf={nameOfPolicy}
          onChange={(chosen) => onChange({ cleaners: chosen })}
        />
      )}
    </div>
  );
}

function CleaningFields({ draft, onChange }: Props) {
  return (
    <>
      <TextInput
        label="Fullness"
        description="In percent of the size, a list"
        value={draft.fullnesses}
        onChange={(event) => onChange({ fullnesses: event.currentTarget.value })}
      />
      <TextInput
        label="Band"
        description="Of a strict-append disk"
        value={draft.band}
        onChange={(event) => onChange({ band: event.currentTarget.value })}
      />
      <NumberInput
        label="Times"
        description="How much is written at most, of the size"
        min={0.1}
        max={limits.times}
        clampBehavior="blur"
        value={draft.times}
        onChange={(value) => typeof value === "number" && onChange({ times: value })}
      />
    </>
  );
}

export function StudyFields({ draft, onChange }: Props) {
  const isCapacity = draft.kind === "capacity";
  return (
    <>
      <WhatFields draft={draft} onChange={onChange} />
      <div className={classes.fields}>
        <TextInput
          label="DID"
          description="In blocks of 4 KiB, a list"
          value={draft.dids}
          onChange={(event) => onChange({ dids: event.currentTarget.value })}
        />
        <CountField
          label="DNOR"
          description="In blocks, at most DID"
          least={0}
          most={limits.did_blocks}
          value={draft.dnor}
          onChange={(dnor) => onChange({ dnor })}
        />
        <TextInput
          label="Size"
          description={isCapacity ? "Of all files together, at most" : "Of the disk"}
          value={draft.size}
          onChange={(event) => onChange({ size: event.currentTarget.value })}
        />
        {isCapacity ? (
          <CountField
            label="Operations"
            description="Creates and deletes"
            least={1}
            most={limits.operations_count}
            value={draft.operations}
            onChange={(operations) => onChange({ operations })}
          />
        ) : (
          <CleaningFields draft={draft} onChange={onChange} />
        )}
        <CountField
          label="Seeds"
          description="Results of each cell"
          least={1}
          most={limits.seeds_count}
          value={draft.seeds}
          onChange={(seeds) => onChange({ seeds })}
        />
        <TextInput
          label="Name"
          description="Optional"
          maxLength={120}
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      </div>
    </>
  );
}
