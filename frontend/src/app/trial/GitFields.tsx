// What git aging pulls, and how often it is measured.
import { TextInput } from "@mantine/core";
import { CountField } from "./CountField";
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
      <CountField
        label="Pulls"
        description="One commit each"
        least={1}
        most={100_000}
        value={git.pulls}
        onChange={(pulls) => change({ pulls })}
      />
      <CountField
        label="Measure every"
        description="Pulls between two cold reads"
        least={1}
        most={100_000}
        value={git.every}
        onChange={(every) => change({ every })}
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
