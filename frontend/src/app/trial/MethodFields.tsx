// How often, how long, and with or without a trace.
import { NumberInput, Switch, TextInput } from "@mantine/core";
import classes from "./NewTrial.module.css";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

export function MethodFields({ draft, onChange }: Props) {
  return (
    <div className={classes.fields}>
      <NumberInput
        label="Repetitions"
        description="Of each workload on each image"
        min={3}
        max={1000}
        clampBehavior="blur"
        value={draft.repetitions}
        onChange={(value) => typeof value === "number" && onChange({ repetitions: value })}
      />
      <NumberInput
        label="Seconds"
        description="Measured time of a workload"
        min={1}
        max={86_400}
        clampBehavior="blur"
        value={draft.seconds}
        onChange={(value) => typeof value === "number" && onChange({ seconds: value })}
      />
      <NumberInput
        label="Warm-up"
        description="Seconds before it, not measured"
        min={0}
        max={3600}
        clampBehavior="blur"
        value={draft.warm_up_s}
        onChange={(value) => typeof value === "number" && onChange({ warm_up_s: value })}
      />
      <TextInput
        label="Name"
        description="Optional"
        maxLength={120}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Switch
        className={classes.wide ?? ""}
        label="Trace the writes"
        description="A rollback then rewrites only what changed. Without it, each rollback compares the whole device."
        checked={draft.isTraced}
        onChange={(event) => onChange({ isTraced: event.currentTarget.checked })}
      />
    </div>
  );
}
