// What was chosen of a list, and what can be done with it. Always shown, so that a choice does not move the layout.
import type { ReactNode } from "react";
import classes from "./ChosenBar.module.css";

interface Props {
  label: string;
  sentence: ReactNode;
  /** The buttons. */
  children: ReactNode;
  refusal?: ReactNode;
  /** It is after the list, where the keyboard comes to after a choice; it stays in view. */
  isAtEnd?: boolean;
}

export function ChosenBar({ label, sentence, children, refusal, isAtEnd = false }: Props) {
  return (
    <div className={classes.bar} data-end={isAtEnd} role="region" aria-label={label}>
      <span role="status">{sentence}</span>
      <span className={classes.verbs}>{children}</span>
      {refusal}
    </div>
  );
}
