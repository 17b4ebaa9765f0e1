// A field for one number of a bin: applied when it loses the focus, reset when it contains no number.
import { useState, type KeyboardEvent } from "react";
import classes from "./TypedCell.module.css";

interface Props {
  label: string;
  text: string;
  /** The flaw of the present number; marks the field. */
  flaw?: string | null;
  parse: (typed: string) => number | null;
  onTake: (value: number) => void;
}

export function TypedCell({ label, text, flaw = null, parse, onTake }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const isUnreadable = typed !== null && parse(typed) === null;
  const take = () => {
    const value = typed === null || typed === text ? null : parse(typed);
    if (value !== null) onTake(value);
    setTyped(null);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") take();
    if (event.key === "Escape") setTyped(null);
  };
  return (
    <input
      className={classes.cell}
      inputMode="decimal"
      aria-label={label}
      aria-invalid={isUnreadable || flaw !== null}
      title={flaw ?? undefined}
      value={typed ?? text}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={press}
    />
  );
}
