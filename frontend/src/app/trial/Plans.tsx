// Ready-made trials to begin with.
import { UnstyledButton } from "@mantine/core";
import classes from "./NewTrial.module.css";
import type { Draft } from "./draft";
import { plans } from "./plans";

export function Plans({ onChoose }: { onChoose: (draft: Partial<Draft>) => void }) {
  return (
    <div className={classes.plans} role="group" aria-label="Ready-made plans">
      {plans.map(({ name, title, summary, draft }) => (
        <UnstyledButton key={name} className={classes.plan ?? ""} onClick={() => onChoose(draft)}>
          <strong>{title}</strong>
          <span>{summary}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}
