// The one store of an open draft. A histogram that subscribes is told only of its own bins.
import { useCallback, useSyncExternalStore } from "react";
import type { HistogramName } from "../../../../api/client";
import { areEqual, type EditedBins, type EditedHistograms } from "./bin";
import { draftFrom, draftOf, reduce, type Draft, type DraftAction } from "./draft";
import { dropDraft, keepDraft, keptDraft, type DraftBase } from "./keep";

const KEEP_AFTER_MS = 250;

export interface DraftStore {
  readonly base: DraftBase | null;
  getDraft: () => Draft;
  subscribe: (listener: () => void) => () => void;
  dispatch: (action: DraftAction) => void;
  /** Differs from what it was begun from. */
  isChanged: () => boolean;
  /** False once the browser refused to keep it. */
  isKept: () => boolean;
  /** Writes what is still to be kept at once. */
  flush: () => void;
  /** Nothing is to be kept any more: it was saved, or thrown away. */
  forget: () => void;
}

/** `saved` is what the draft is begun from; a draft that this browser kept of it is gone on with. */
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
