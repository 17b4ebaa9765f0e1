// Pure: which bars of a histogram are chosen, and where the keyboard is.
import type { BinRange } from "../draft/edit";

/** From the bar where the choice began to the one where it is now. */
export interface Selection {
  anchor: number;
  focus: number;
}

export function rangeOf({ anchor, focus }: Selection): BinRange {
  return { first: Math.min(anchor, focus), last: Math.max(anchor, focus) };
}

/** Within the bins that there still are. */
export function clamped(selection: Selection | null, length: number): Selection | null {
  if (selection === null || length === 0) return null;
  const last = length - 1;
  return { anchor: Math.min(selection.anchor, last), focus: Math.min(selection.focus, last) };
}

export function moved(selection: Selection, to: number, isExtended: boolean): Selection {
  return { anchor: isExtended ? selection.anchor : to, focus: to };
}

/** Where a key leads to, or null for a key that leads nowhere. */
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
