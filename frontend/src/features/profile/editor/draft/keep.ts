// The draft in this browser's storage: a reload, a crash or a closed tab loses nothing.
import type { EditedBin, EditedHistograms } from "./bin";
import { histogramNames } from "./bin";

/** What a draft was begun from: a version of a profile, or nothing. */
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

/** False where the browser has no room or allows no storage: then only this page holds the draft. */
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

/** Null where there is none, or one that another version of Patina wrote. */
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
