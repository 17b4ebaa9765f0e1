// What is drawn on a plot beside its lines: the names at their ends, and the marks of events.
import type uPlot from "uplot";
import { seriesInks, type SeriesInk } from "../palette";
import { nearby } from "./lineLabels";

export type Ink = "observed" | "target" | "quiet" | "text" | SeriesInk;

export interface LineSpec {
  label: string;
  ink: Ink;
  dash?: readonly number[];
  width?: number;
  /** It does not widen the vertical axis: where it leaves the plot, it is cut off. */
  isUnbounded?: boolean;
}

/** An event at a place of the horizontal axis. */
export interface PlotMark {
  at: number;
  label: string;
}

export const FONT_PX = 13;
export const FONT = `${FONT_PX}px Inter, system-ui, sans-serif`;
/** A narrower plot has no names at its lines: the key below names them. */
const LEAST_WIDTH = 420;
const MOST_LABEL = 150;
const MARGIN = 12;

export function inks(): Record<Ink, string> {
  const style = getComputedStyle(document.documentElement);
  const names: Ink[] = ["observed", "target", "quiet", "text", ...seriesInks];
  return Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--patina-${name}`).trim()]),
  ) as Record<Ink, string>;
}

let measuring: CanvasRenderingContext2D | null = null;

export function widthOf(text: string): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (measuring === null) return text.length * 7;
  measuring.font = FONT;
  return measuring.measureText(text).width;
}

/** Returns the room to the right of the plot: for the names of the lines, or for half a label of the axis. */
export function roomFor(lines: readonly LineSpec[], width: number): number {
  if (width < LEAST_WIDTH) return 2 * MARGIN;
  return Math.min(MOST_LABEL, Math.max(0, ...lines.map(({ label }) => widthOf(label)))) + MARGIN;
}

/** A line that ends so near the edge, as a part of the view, is named there. */
const NEAR_EDGE = 0.03;

/** Returns the height of a line at the right edge of the view; null where it ended before. */
function heightAtEdge(plot: uPlot, index: number): number | null {
  const ys = plot.data[index + 1] ?? [];
  const xs = plot.data[0];
  const edge = plot.scales["x"]?.max ?? Infinity;
  const isKnown = (row: number) => ys[row] != null;
  let last = xs.findLastIndex((x, row) => x <= edge && isKnown(row));
  const next = xs.findIndex((x, row) => x > edge && isKnown(row));
  if (next !== -1 && last === -1) last = next;
  const [value, beyond] = [ys[last], ys[next]];
  const from = plot.scales["x"]?.min ?? -Infinity;
  if (value == null || (next === -1 && (xs[last] ?? 0) < edge - NEAR_EDGE * (edge - from))) return null;
  if (beyond == null || next === last) return plot.valToPos(value, "y", true);
  const share = (edge - (xs[last] ?? 0)) / ((xs[next] ?? 0) - (xs[last] ?? 0));
  const [y, z] = [plot.valToPos(value, "y", true), plot.valToPos(beyond, "y", true)];
  return y + share * (z - y);
}

/** Draws the name of each line where it leaves the view. */
export function drawLabels(plot: uPlot, lines: readonly LineSpec[], color: string): void {
  if (plot.width < LEAST_WIDTH) return;
  const ratio = devicePixelRatio;
  const { left, top, width, height } = plot.bbox;
  const ends = lines.flatMap(({ label }, index) => {
    const at = heightAtEdge(plot, index);
    return at === null || Number.isNaN(at) ? [] : [{ label, at }];
  });
  const wishes = ends.map(({ at }) => Math.min(top + height, Math.max(top, at)));
  const gap = 15 * ratio;
  const tops = nearby(wishes, gap, { gap, low: top, high: top + height });
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${FONT_PX * ratio}px Inter, system-ui, sans-serif`;
  ctx.fillStyle = color;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ends.forEach(({ label }, index) => {
    const at = tops[index] ?? null;
    if (at !== null) ctx.fillText(label, left + width + 6 * ratio, at, MOST_LABEL * ratio);
  });
  ctx.restore();
}

/** Draws a line and a word at each mark; a word that would lie on the one before is left out. */
export function drawMarks(plot: uPlot, marks: readonly PlotMark[], color: string): void {
  const ratio = devicePixelRatio;
  const { left, top, width, height } = plot.bbox;
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${FONT_PX * ratio}px Inter, system-ui, sans-serif`;
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = ratio;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  let free = left;
  for (const { at, label } of marks) {
    const x = plot.valToPos(at, "x", true);
    if (!(x >= left && x <= left + width)) continue;
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    const length = ctx.measureText(label).width;
    const isLeft = x + length + 4 * ratio > left + width;
    const begin = isLeft ? x - length - 4 * ratio : x + 4 * ratio;
    if (begin < free) continue;
    ctx.fillText(label, begin, top);
    free = begin + length + 8 * ratio;
  }
  ctx.restore();
}
