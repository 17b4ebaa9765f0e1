// The draft in this browser's storage: it survives a reload, a crash or a closed tab.
import type { EditedBin, EditedHistograms } from "./bin";
import { histogramNames } from "./bin";

/** The base of a draft: a version of a profile, or none. */
export interface DraftBase {
  name: string;
  number: number;
}

const SCHEMA_VERSION = 1;

function keyOf(base: DraftBase | null): string {
  return base === null ? "patina.draft.new" : `patina.draft.${base.name}@${base.number}`;
}

function isBin(value: unknown): value is EditedBin {
  if (typeof value !== "object" || value === null) return false;
  return ["edge", "weight", "subdirs"].every(
    (field) => typeof (value as Record<string, unknown>)[field] === "number",
  );
}

function isHistograms(value: unknown): value is EditedHistograms {
  if (typeof value !== "object" || value === null) return false;
  return histogramNames.every((name) => {
    const bins: unknown = (value as Record<string, unknown>)[name];
    return Array.isArray(bins) && bins.every(isBin);
  });
}

/** Stores the draft; returns false where the browser has no room or allows no storage. */
export function keepDraft(base: DraftBase | null, histograms: EditedHistograms): boolean {
  try {
    const text = JSON.stringify({ schema_version: SCHEMA_VERSION, histograms });
    localStorage.setItem(keyOf(base), text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export function dropDraft(base: DraftBase | null): void {
  try {
    localStorage.removeItem(keyOf(base));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Returns the stored draft; null where there is none, or one of another version of Patina. */
export function keptDraft(base: DraftBase | null): EditedHistograms | null {
  try {
    const text = localStorage.getItem(keyOf(base));
    if (text === null) return null;
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null || !("histograms" in kept)) return null;
    if (!("schema_version" in kept) || kept.schema_version !== SCHEMA_VERSION) return null;
    return isHistograms(kept.histograms) ? kept.histograms : null;
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) return null;
    throw error;
  }
}
