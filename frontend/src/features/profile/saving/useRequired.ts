// A form that is checked when it is submitted: the errors appear at their fields, and the first of these gets the focus.
import { useEffect, useRef, useState, type SyntheticEvent } from "react";

/** The error of each field; null where it is right. */
type Errors<Field extends string> = Readonly<Record<Field, string | null>>;

export function useRequired<Field extends string>(errors: Errors<Field>, onSubmit: () => void) {
  const form = useRef<HTMLFormElement>(null);
  const [refused_count, setRefusedCount] = useState(0);
  useEffect(() => {
    if (refused_count > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refused_count]);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const isRight = Object.values(errors).every((error) => error === null);
    if (isRight) onSubmit();
    else setRefusedCount(refused_count + 1);
  };
  return {
    /** The browser's own check would show its bubble instead of the errors. */
    form: { ref: form, onSubmit: submit, noValidate: true },
    /** Returns the errors to show: none before the first submit. */
    shown: refused_count > 0 ? errors : null,
  };
}

/** Returns the error of a field that must not be empty. */
export function missing(text: string, what: string): string | null {
  return text.trim() === "" ? what : null;
}
