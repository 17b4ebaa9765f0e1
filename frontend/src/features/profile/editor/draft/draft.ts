// Pure: a draft of three histograms with its edits, to undo and to redo.
import type { HistogramName } from "../../../../api/client";
import { areEqual, type EditedBins, type EditedHistograms } from "./bin";
import {
  insertAfter,
  merge,
  remove,
  scale,
  smooth,
  split,
  withEdge,
  withSubdirs,
  withWeight,
  type BinRange,
} from "./edit";

type OfBin = { histogram: HistogramName; index: number };
type OfRange = { histogram: HistogramName } & BinRange;

/** Edits with the same `gesture` are one step to undo: a drag, a key held down. */
export type Edit =
  | ({ type: "set_weight"; weight: number; gesture?: number } & OfBin)
  | ({ type: "set_edge"; edge: number } & OfBin)
  | ({ type: "set_subdirs"; subdirs: number } & OfBin)
  | ({ type: "insert" | "split" } & OfBin)
  | ({ type: "merge" | "remove" | "smooth" } & OfRange)
  | ({ type: "scale"; factor: number } & OfRange)
  | { type: "replace"; histograms: Partial<EditedHistograms>; by: string };

export type DraftAction = Edit | { type: "undo" } | { type: "redo" };

interface Step {
  /** The histograms that undo restores. */
  histograms: EditedHistograms;
  title: string;
}

export interface Draft {
  histograms: EditedHistograms;
  past: readonly Step[];
  future: readonly Step[];
  gesture: number | null;
}

/** The number of steps to undo; the oldest are dropped first. */
export const STEPS_LIMIT = 500;

export function draftOf(histograms: EditedHistograms): Draft {
  return { histograms, past: [], future: [], gesture: null };
}

/** Returns a draft that was kept over a reload, one step away from its base. */
export function draftFrom(base: EditedHistograms, kept: EditedHistograms): Draft {
  if (areEqual(base, kept)) return draftOf(base);
  return { ...draftOf(kept), past: [{ histograms: base, title: "the changes before the reload" }] };
}

function editedBins(bins: EditedBins, edit: Exclude<Edit, { type: "replace" }>): EditedBins {
  switch (edit.type) {
    case "set_weight":
      return withWeight(bins, edit.index, edit.weight);
    case "set_edge":
      return withEdge(bins, edit.index, edit.edge);
    case "set_subdirs":
      return withSubdirs(bins, edit.index, edit.subdirs);
    case "insert":
      return insertAfter(edit.histogram, bins, edit.index);
    case "split":
      return split(edit.histogram, bins, edit.index);
    case "merge":
      return merge(edit.histogram, bins, edit);
    case "remove":
      return remove(bins, edit);
    case "scale":
      return scale(bins, edit, edit.factor);
    case "smooth":
      return smooth(bins, edit);
  }
}

const titles: Record<Exclude<Edit["type"], "replace">, string> = {
  set_weight: "a weight",
  set_edge: "an edge",
  set_subdirs: "a count of directories",
  insert: "a new bin",
  split: "a split",
  merge: "a merge",
  remove: "a removal",
  scale: "a scaling",
  smooth: "a smoothing",
};

export function titleOf(edit: Edit): string {
  return edit.type === "replace" ? edit.by : `${titles[edit.type]} of ${edit.histogram}`;
}

function edited(histograms: EditedHistograms, edit: Edit): EditedHistograms {
  if (edit.type === "replace") return { ...histograms, ...edit.histograms };
  const bins = editedBins(histograms[edit.histogram], edit);
  return bins === histograms[edit.histogram] ? histograms : { ...histograms, [edit.histogram]: bins };
}

function take(draft: Draft, edit: Edit): Draft {
  const histograms = edited(draft.histograms, edit);
  if (histograms === draft.histograms || areEqual(histograms, draft.histograms)) return draft;
  const gesture = (edit.type === "set_weight" ? edit.gesture : undefined) ?? null;
  if (gesture !== null && gesture === draft.gesture) return { ...draft, histograms, future: [] };
  const step = { histograms: draft.histograms, title: titleOf(edit) };
  return { histograms, gesture, past: [...draft.past, step].slice(-STEPS_LIMIT), future: [] };
}

export function reduce(draft: Draft, action: DraftAction): Draft {
  if (action.type === "undo") {
    const step = draft.past.at(-1);
    if (step === undefined) return draft;
    const future = [...draft.future, { histograms: draft.histograms, title: step.title }];
    return { histograms: step.histograms, past: draft.past.slice(0, -1), future, gesture: null };
  }
  if (action.type === "redo") {
    const step = draft.future.at(-1);
    if (step === undefined) return draft;
    const past = [...draft.past, { histograms: draft.histograms, title: step.title }];
    return { histograms: step.histograms, past, future: draft.future.slice(0, -1), gesture: null };
  }
  return take(draft, action);
}
