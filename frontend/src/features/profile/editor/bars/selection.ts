// Pure: the chosen bars of a histogram, and the bar with the keyboard's focus.
import type { BinRange } from "../draft/edit";

/** The range from the first chosen bar to the current one. */
export interface Selection {
  anchor: number;
  focus: number;
}

export function rangeOf({ anchor, focus }: Selection): BinRange {
  return { first: Math.min(anchor, focus), last: Math.max(anchor, focus) };
}

/** Returns the selection within the existing bins. */
export function clamped(selection: Selection | null, length: number): Selection | null {
  if (selection === null || length === 0) return null;
  const last = length - 1;
  return { anchor: Math.min(selection.anchor, last), focus: Math.min(selection.focus, last) };
}

export function moved(selection: Selection, to: number, isExtended: boolean): Selection {
  return { anchor: isExtended ? selection.anchor : to, focus: to };
}

/** Returns the bin that a key moves to, or null for other keys. */
export function targetOf(key: string, index: number, length: number): number | null {
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, index - 1);
    case "ArrowRight":
      return Math.min(length - 1, index + 1);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
