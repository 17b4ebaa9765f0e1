// The form of a fault: its kind, what it does to a file system on the disk, and its fields.
import { Button, Checkbox, Group, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Device } from "../../../api/client";
import { nameOf } from "../../../shared/device";
import { ChoiceField } from "../../../shared/ui/ChoiceField";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useInjectFault } from "../queries";
import { SeedField } from "./SeedField";
import classes from "./EmulateDialog.module.css";
import {
  faultKinds,
  faultOf,
  faultProblems,
  MOST_DELAY_MS,
  usualFault,
  whyNoFault,
  whyWait,
  type FaultDraft,
  type FaultField,
} from "./faults";

interface FieldProps {
  draft: FaultDraft;
  problems: Partial<Record<FaultField, string>>;
  onChange: (part: Partial<FaultDraft>) => void;
}

function LossFields({ draft, problems, onChange }: FieldProps) {
  return (
    <>
      <div>
        <SegmentedControl
          aria-label="Lost"
          data={[
            { value: "all", label: "All of it" },
            { value: "random", label: "A random part" },
          ]}
          value={draft.lost}
          onChange={(value) => onChange({ lost: value === "random" ? "random" : "all" })}
        />
        <p className={classes.hint}>
          {draft.lost === "all"
            ? "All writes after the last flush are lost."
            : "Some writes after the last flush are lost and later ones are not, as on a disk that reorders them."}
        </p>
      </div>
      {draft.lost === "random" && (
        <SeedField
          description="Equal seeds lose equal parts."
          seed={draft.seed}
          onSeed={(seed) => onChange({ seed })}
          error={problems.seed}
        />
      )}
    </>
  );
}

function RangeFields({ draft, problems, onChange }: FieldProps) {
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap" grow>
      <TextInput
        label="From"
        value={draft.first}
        onChange={(event) => onChange({ first: event.currentTarget.value })}
        error={problems.first}
        autoComplete="off"
      />
      <TextInput
        label="Length"
        value={draft.length}
        onChange={(event) => onChange({ length: event.currentTarget.value })}
        error={problems.length}
        autoComplete="off"
      />
    </Group>
  );
}

function KindFields(props: FieldProps) {
  const { draft, problems, onChange } = props;
  switch (draft.kind) {
    case "power_cut":
      return <LossFields {...props} />;
    case "read_error":
    case "write_error":
      return <RangeFields {...props} />;
    case "ends_early":
      return (
        <TextInput
          label="Ends at"
          value={draft.size}
          onChange={(event) => onChange({ size: event.currentTarget.value })}
          error={problems.size}
          autoComplete="off"
        />
      );
    case "slow":
      return (
        <NumberInput
          label="Longer by"
          value={draft.delay_ms ?? ""}
          onChange={(typed) => onChange({ delay_ms: typeof typed === "number" ? typed : null })}
          error={problems.delay_ms}
          min={1}
          max={MOST_DELAY_MS}
          clampBehavior="strict"
          allowDecimal={false}
          suffix=" ms"
        />
      );
    case "disappears":
    case "read_only":
      return null;
  }
}

export function FaultForm({ device, onClose }: { device: Device; onClose: () => void }) {
  const [draft, setDraft] = useState(() => usualFault(device));
  const [isConfirmed, setConfirmed] = useState(false);
  const make = useInjectFault(device.id);
  const { label, confirmation } = faultKinds[draft.kind];
  const problems = faultProblems(draft, device);
  const why = whyNoFault(device) ?? whyWait(device);
  const isReady =
    Object.keys(problems).length === 0 && why === null && (confirmation === null || isConfirmed);
  const change = (part: Partial<FaultDraft>) => {
    if (part.kind !== undefined) setConfirmed(false);
    setDraft({ ...draft, ...part });
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isReady) make.mutate(faultOf(draft), { onSuccess: onClose });
  };
  const holder = device.active_lease?.holder;
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <ChoiceField
        label="Fault"
        choices={faultKinds}
        value={draft.kind}
        onChange={(kind) => change({ kind })}
      />
      <KindFields draft={draft} problems={problems} onChange={change} />
      {holder !== undefined && (
        <p className={classes.hint}>{`The disk is held by ${holder}, which may fail.`}</p>
      )}
      {confirmation !== null && (
        <Checkbox
          label={`${label} on ${nameOf(device)}`}
          description={confirmation}
          checked={isConfirmed}
          onChange={(event) => setConfirmed(event.currentTarget.checked)}
        />
      )}
      {why !== null && <p className={classes.hint}>{why}</p>}
      {make.isError && <RefusalNotice error={make.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          loading={make.isPending}
          disabled={!isReady}
          {...(confirmation !== null && { color: "copper" })}
        >
          Make the fault
        </Button>
      </Group>
    </form>
  );
}
