// A drag of a bar: converts the pointer's movement to a weight, with at most one edit per frame.
import { useCallback, useEffect, useRef, useState, type PointerEvent } from "react";
import type { HistogramName } from "../../../../api/client";
import { totalOf } from "../draft/bin";
import type { DraftStore } from "../draft/store";
import { dragged, shownOf, weightOf, type WeightUnit } from "../table/weightUnit";

export const PLOT_PX = 200;
/** Movement below this is a click that chooses the bar, not a drag. */
const SLOP_PX = 3;

interface Drag {
  index: number;
  from_y: number;
  from_shown: number;
  rest: number;
  ceiling: number;
  gesture: number;
  y: number;
  frame: number | null;
  hasMoved: boolean;
}

let gestures = 0;

/** Returns a number for edits that are undone in one step. */
export function newGesture(): number {
  gestures += 1;
  return gestures;
}

interface Asked {
  store: DraftStore;
  histogram: HistogramName;
  unit: WeightUnit;
  ceiling: number;
}

/** `held` is the ceiling during a drag: a moving axis would move the bar away from the pointer. */
export function useBarDrag({ store, histogram, unit, ceiling }: Asked) {
  const drag = useRef<Drag | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const apply = useCallback(() => {
    const now = drag.current;
    if (now === null) return;
    now.frame = null;
    const way = ((now.from_y - now.y) / PLOT_PX) * now.ceiling;
    const shown = dragged(now.from_shown + way, now.ceiling, PLOT_PX);
    const { index, gesture, rest } = now;
    store.dispatch({ type: "set_weight", histogram, index, weight: weightOf(shown, rest, unit), gesture });
  }, [store, histogram, unit]);
  const begin = useCallback(
    (event: PointerEvent<SVGElement>, index: number) => {
      const bins = store.getDraft().histograms[histogram];
      const weight = bins[index]?.weight ?? 0;
      const total = totalOf(bins);
      drag.current = {
        index,
        from_y: event.clientY,
        from_shown: shownOf(weight, total, unit),
        rest: total - weight,
        ceiling,
        gesture: newGesture(),
        y: event.clientY,
        frame: null,
        hasMoved: false,
      };
      event.currentTarget.setPointerCapture(event.pointerId);
      setHeld(ceiling);
    },
    [store, histogram, unit, ceiling],
  );
  const move = useCallback(
    (event: PointerEvent<SVGElement>) => {
      const now = drag.current;
      if (now === null) return;
      now.y = event.clientY;
      now.hasMoved ||= Math.abs(now.y - now.from_y) > SLOP_PX;
      if (now.hasMoved) now.frame ??= requestAnimationFrame(apply);
    },
    [apply],
  );
  const end = useCallback(() => {
    const now = drag.current;
    if (now === null) return;
    if (now.frame !== null) {
      cancelAnimationFrame(now.frame);
      apply();
    }
    drag.current = null;
    setHeld(null);
  }, [apply]);
  /** Cancels a drag; returns whether there was one. */
  const giveUp = useCallback(() => {
    const now = drag.current;
    if (now === null) return false;
    if (now.frame !== null) cancelAnimationFrame(now.frame);
    drag.current = null;
    setHeld(null);
    if (store.getDraft().gesture === now.gesture) store.dispatch({ type: "undo" });
    return true;
  }, [store]);
  useEffect(() => {
    return () => {
      if (drag.current?.frame != null) cancelAnimationFrame(drag.current.frame);
    };
  }, []);
  return { held, begin, move, end, giveUp };
}
