// The field that opens over a bar when the user types a number.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { parseNumber } from "../../../../shared/units";
import classes from "../bars/Bars.module.css";

export interface OpenField {
  index: number;
  text: string;
}

interface Props {
  label: string;
  text: string;
  /** The position, as a fraction of the plot's width. */
  at: number;
  /** `step`: the bar that gets the focus next, 0 for this one. */
  onTake: (shown: number, step: -1 | 0 | 1) => void;
  onLeave: () => void;
}

export function ValueField({ label, text, at, onTake, onLeave }: Props) {
  const [typed, setTyped] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  const value = parseNumber(typed);
  useEffect(() => {
    const field = input.current;
    field?.focus();
    // A typed first digit is continued; an existing value is replaced.
    if (text.length > 1) field?.select();
  }, [text]);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") onLeave();
    if (event.key !== "Enter" && event.key !== "Tab") return;
    event.preventDefault();
    if (value === null) return;
    onTake(value, event.key === "Enter" ? 0 : event.shiftKey ? -1 : 1);
  };
  return (
    <input
      ref={input}
      className={classes.field}
      style={{ left: `clamp(0px, calc(${at * 100}% - 48px), calc(100% - 96px))` }}
      inputMode="decimal"
      aria-label={label}
      aria-invalid={value === null}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={press}
      onBlur={onLeave}
    />
  );
}
