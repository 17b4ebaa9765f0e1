// What git aging pulls, and how often it is measured.
import { NumberInput, TextInput } from "@mantine/core";
import classes from "./NewTrial.module.css";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

export function GitFields({ draft, onChange }: Props) {
  const { git } = draft;
  const change = (changed: Partial<Draft["git"]>) => onChange({ git: { ...git, ...changed } });
  return (
    <div className={`${classes.fields} ${classes.below}`} role="group" aria-label="git">
      <NumberInput
        label="Pulls"
        description="One commit each"
        min={1}
        max={100_000}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="blur"
        value={git.pulls}
        onChange={(pulls) => typeof pulls === "number" && change({ pulls })}
      />
      <NumberInput
        label="Measure every"
        description="Pulls between two cold reads"
        min={1}
        max={100_000}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="blur"
        value={git.every}
        onChange={(every) => typeof every === "number" && change({ every })}
      />
      <TextInput
        label="Repository"
        description="A path in a scan folder of the host"
        placeholder="synthetic: 2 000 files"
        maxLength={4096}
        value={git.repository}
        onChange={(event) => change({ repository: event.currentTarget.value })}
      />
    </div>
  );
}
