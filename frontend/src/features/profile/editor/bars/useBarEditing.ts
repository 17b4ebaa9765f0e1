// Edits the bars of one histogram by pointer and keys, and keeps the selection.
import { useCallback, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import type { HistogramName } from "../../../../api/client";
import type { BarHandlers } from "./Bar";
import { totalOf } from "../draft/bin";
import { titleOf, type DraftAction } from "../draft/draft";
import { newGesture, useBarDrag } from "./gesture";
import { clamped, moved, rangeOf, targetOf, type Selection } from "./selection";
import type { DraftStore } from "../draft/store";
import type { OpenField } from "../table/ValueField";
import { keyStep, shownOf, typedOf, weightOf, type WeightUnit } from "../table/weightUnit";

interface Asked {
  store: DraftStore;
  histogram: HistogramName;
  unit: WeightUnit;
  ceiling: number;
}

const directions: Record<string, number> = { ArrowUp: 1, ArrowDown: -1, PageUp: 1, PageDown: -1 };

function useChoice({ store, histogram }: Asked) {
  const frame = useRef<SVGSVGElement>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  const [said, setSaid] = useState("");
  const focusBar = useCallback((index: number) => {
    frame.current?.querySelector<SVGGElement>(`[data-index="${index}"]`)?.focus();
  }, []);
  const go = useCallback(
    (to: number, isExtended: boolean) => {
      flushSync(() => setSelection((now) => moved(now ?? { anchor: to, focus: to }, to, isExtended)));
      focusBar(to);
    },
    [focusBar],
  );
  /** Applies an edit from a button or a key, and announces it to screen readers. */
  const edit = useCallback(
    (action: DraftAction, next?: Selection) => {
      const before = store.getDraft().histograms[histogram];
      store.dispatch(action);
      const after = store.getDraft().histograms[histogram];
      if (action.type === "undo" || action.type === "redo") return;
      if (after === before) {
        setSaid("No room for that here.");
        return;
      }
      setSaid(`Done: ${titleOf(action)}. ${after.length} bins.`);
      if (next !== undefined) setSelection(next);
    },
    [store, histogram],
  );
  return { frame, selection, setSelection, said, focusBar, go, edit };
}

/** Changes weights by the arrow keys: a press, or a key held down, is one step to undo. */
function useSteps({ store, histogram, unit, ceiling }: Asked) {
  const gesture = useRef(0);
  return useCallback(
    (event: KeyboardEvent, index: number, direction: number) => {
      if (!event.repeat) gesture.current = newGesture();
      const bins = store.getDraft().histograms[histogram];
      const weight = bins[index]?.weight ?? 0;
      const total = totalOf(bins);
      const isCoarse = event.shiftKey || event.key.startsWith("Page");
      const shown = shownOf(weight, total, unit) + direction * keyStep(ceiling, isCoarse);
      const next = weightOf(shown, total - weight, unit);
      store.dispatch({ type: "set_weight", histogram, index, weight: next, gesture: gesture.current });
    },
    [store, histogram, unit, ceiling],
  );
}

function useField({ store, histogram, unit }: Asked, go: (to: number, isExtended: boolean) => void) {
  const [field, setField] = useState<OpenField | null>(null);
  const openField = useCallback(
    (index: number, first?: string) => {
      const bins = store.getDraft().histograms[histogram];
      const text = first ?? typedOf(bins[index]?.weight ?? 0, totalOf(bins), unit);
      setField({ index, text });
    },
    [store, histogram, unit],
  );
  const takeField = (shown: number, step: -1 | 0 | 1) => {
    if (field === null) return;
    const { index } = field;
    const bins = store.getDraft().histograms[histogram];
    const rest = totalOf(bins) - (bins[index]?.weight ?? 0);
    store.dispatch({ type: "set_weight", histogram, index, weight: weightOf(shown, rest, unit) });
    flushSync(() => setField(null));
    go(Math.min(bins.length - 1, Math.max(0, index + step)), false);
  };
  const leaveField = () => {
    if (field === null) return;
    const { index } = field;
    flushSync(() => setField(null));
    if (document.activeElement === document.body) go(index, false);
  };
  return { field, openField, takeField, leaveField };
}

export function useBarEditing(asked: Asked) {
  const { store, histogram } = asked;
  const choice = useChoice(asked);
  const { selection, setSelection, focusBar, go, edit } = choice;
  const drag = useBarDrag(asked);
  const step = useSteps(asked);
  const { openField, ...field } = useField(asked, go);
  const remove = useCallback(
    (index: number) => {
      const { length } = store.getDraft().histograms[histogram];
      const range = rangeOf(clamped(selection, length) ?? { anchor: index, focus: index });
      const to = Math.max(0, Math.min(range.first, length - (range.last - range.first) - 2));
      flushSync(() => edit({ type: "remove", histogram, ...range }, { anchor: to, focus: to }));
      focusBar(to);
    },
    [store, histogram, selection, edit, focusBar],
  );
  const press = useCallback(
    (event: KeyboardEvent, index: number) => {
      const { length } = store.getDraft().histograms[histogram];
      const { key } = event;
      const isCommand = event.ctrlKey || event.metaKey || event.altKey;
      const to = targetOf(key, index, length);
      const direction = directions[key];
      if (isCommand && key.toLowerCase() === "a") setSelection({ anchor: 0, focus: length - 1 });
      else if (isCommand) return;
      else if (to !== null) go(to, event.shiftKey);
      else if (direction !== undefined) step(event, index, direction);
      else if (key === "Enter" || key === "F2") openField(index);
      else if (/^[\d.,]$/.test(key)) openField(index, key);
      else if (key === "Delete" || key === "Backspace") remove(index);
      else if (key === "Escape") {
        if (!drag.giveUp()) setSelection({ anchor: index, focus: index });
      } else return;
      event.preventDefault();
    },
    [store, histogram, drag, go, openField, remove, setSelection, step],
  );
  const { begin, move, end } = drag;
  const handlers = useMemo(
    (): BarHandlers => ({
      onPointerDown: (event, index) => {
        if (event.button !== 0) return;
        setSelection((now) => moved(now ?? { anchor: index, focus: index }, index, event.shiftKey));
        if (!event.shiftKey) begin(event, index);
      },
      onPointerMove: move,
      onPointerEnd: end,
      onKeyDown: press,
      onFocus: (_, index) =>
        setSelection((now) => (now?.focus === index ? now : { anchor: index, focus: index })),
      onOpenField: openField,
    }),
    [begin, move, end, press, openField, setSelection],
  );
  return { ...choice, ...field, held: drag.held, handlers };
}
