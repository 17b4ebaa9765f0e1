// The mouse over a plot: selects, moves and zooms the part of the horizontal axis in view.
import type uPlot from "uplot";
import { afterDrag, afterWheel, type View } from "./view";

export interface Hands {
  /** The place under the pointer; null when it leaves. */
  point: (at: number | null) => void;
  look: (view: View | null) => void;
  /** The part in view; null: the whole axis. */
  view: () => View | null;
  all: () => View;
}

const LEAST_DRAG_PX = 6;

/** Help on zooming and panning, for the page of the plot. */
export const plotHelp =
  "Drag, Ctrl+wheel, + or − zoom; Shift-drag pans; arrow keys show values; double-click or Esc resets";

/** Pans the plot during a drag with Shift. */
export function startPan(plot: uPlot, { clientX }: MouseEvent, hands: Hands): void {
  const begun = hands.view();
  const width = plot.over.clientWidth;
  const done = new AbortController();
  const move = (event: MouseEvent) =>
    hands.look(afterDrag((event.clientX - clientX) / width, begun, hands.all()));
  document.addEventListener("mousemove", move, { signal: done.signal });
  document.addEventListener("mouseup", () => done.abort(), { signal: done.signal });
}

/** Zooms only with Ctrl, as maps do: otherwise the wheel scrolls the page. */
export function onWheel(plot: uPlot, event: WheelEvent, hands: Hands): void {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const box = plot.over.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  hands.look(afterWheel(event.deltaY, part, hands.view(), hands.all()));
}

/** Zooms to what a drag selected. */
export function onSelect(plot: uPlot, hands: Hands): void {
  const { left, width: dragged } = plot.select;
  if (dragged < LEAST_DRAG_PX) return;
  hands.look({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + dragged, "x") });
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}
