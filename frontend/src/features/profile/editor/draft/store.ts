// The store of an open draft. It notifies a subscribed histogram of its own bins only.
import { useCallback, useSyncExternalStore } from "react";
import type { HistogramName } from "../../../../api/client";
import { areEqual, type EditedBins, type EditedHistograms } from "./bin";
import { draftFrom, draftOf, reduce, type Draft, type DraftAction } from "./draft";
import { dropDraft, keepDraft, keptDraft, type DraftBase } from "./keep";

const KEEP_AFTER_MS = 250;

export interface DraftStore {
  readonly base: DraftBase | null;
  /** The histograms of the base. */
  readonly saved: EditedHistograms;
  getDraft: () => Draft;
  subscribe: (listener: () => void) => () => void;
  dispatch: (action: DraftAction) => void;
  /** Reports whether the draft differs from its base. */
  isChanged: () => boolean;
  /** Returns false once the browser refused to store it. */
  isKept: () => boolean;
  /** Stores pending changes at once. */
  flush: () => void;
  /** Deletes the stored draft: it was saved, or discarded. */
  forget: () => void;
}

/** Returns the store of a draft based on `saved`, continued from the draft that this browser stored. */
export function makeDraftStore(base: DraftBase | null, saved: EditedHistograms): DraftStore {
  const kept = keptDraft(base);
  let draft = kept === null ? draftOf(saved) : draftFrom(saved, kept);
  let isKept = true;
  let isForgotten = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  const isChanged = () => !areEqual(draft.histograms, saved);
  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const before = isKept;
    if (isChanged()) isKept = keepDraft(base, draft.histograms);
    else dropDraft(base);
    if (isKept !== before) tell();
  };
  return {
    base,
    saved,
    getDraft: () => draft,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch: (action) => {
      const next = reduce(draft, action);
      if (next === draft) return;
      draft = next;
      if (!isForgotten) timer ??= setTimeout(flush, KEEP_AFTER_MS);
      tell();
    },
    isChanged: () => !isForgotten && isChanged(),
    isKept: () => isKept,
    flush,
    forget: () => {
      clearTimeout(timer);
      timer = undefined;
      isForgotten = true;
      dropDraft(base);
      tell();
    },
  };
}

export function useDraft<Part>(store: DraftStore, part: (draft: Draft) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => part(store.getDraft()));
}

export function useBins(store: DraftStore, histogram: HistogramName): EditedBins {
  const part = useCallback(() => store.getDraft().histograms[histogram], [store, histogram]);
  return useSyncExternalStore(store.subscribe, part);
}

export function useIsChanged(store: DraftStore): boolean {
  return useSyncExternalStore(store.subscribe, store.isChanged);
}

export function useIsKept(store: DraftStore): boolean {
  return useSyncExternalStore(store.subscribe, store.isKept);
}
