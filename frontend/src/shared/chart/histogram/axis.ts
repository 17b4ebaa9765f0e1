// Pure: the place of a histogram's bins on its axis: log2 of bytes, linear depth, log of age. Free extents, which are
// powers of two, are equally wide.
import { formatEdge } from "../../units";
import type { Axis } from "./histogram";

/** A range of the width: 0 is its left end, 1 its right. */
export interface Cell {
  left: number;
  width: number;
}

export interface Tick {
  at: number;
  label: string;
}

export interface BinAxis {
  cells: readonly Cell[];
  ticks: readonly Tick[];
}

/** The narrowest bar, as a part of an even share: a narrower one could not be dragged. */
const NARROWEST = 0.4;
const MOST_TICKS = 6;

export function placeOf(name: Axis, edge: number): number {
  if (name === "depth") return edge;
  // A file of 0 bytes is one octave left of a file of 1 byte.
  return edge > 0 ? Math.log2(edge) : -1;
}

function isAscending(places: readonly number[]): boolean {
  return places.every(
    (place, index) => Number.isFinite(place) && (index === 0 || place > (places[index - 1] ?? 0)),
  );
}

/** Returns an even axis, also for a histogram with an invalid edge: every bar can be reached and corrected. */
function evenAxis(name: Axis, edges: readonly number[], most: number): BinAxis {
  const width = 1 / Math.max(1, edges.length);
  const cells = edges.map((_, index) => ({ left: index * width, width }));
  return { cells, ticks: edgeTicks(name, edges, cells, most) };
}

/** Returns labels at the bins themselves, up to a limit and always at the last. */
function edgeTicks(name: Axis, edges: readonly number[], cells: readonly Cell[], most: number): Tick[] {
  const stride = Math.max(1, Math.ceil(edges.length / most));
  const ticks: Tick[] = [];
  for (let index = edges.length - 1; index >= 0; index -= stride) {
    const cell = cells[index];
    const edge = edges[index];
    if (cell !== undefined && edge !== undefined)
      ticks.unshift({ at: cell.left + cell.width / 2, label: formatEdge(name, edge) });
  }
  return ticks;
}

function depthAxis(edges: readonly number[], most: number): BinAxis {
  const low = edges[0] ?? 0;
  const width = 1 / ((edges.at(-1) ?? low) - low + 1);
  const cells = edges.map((edge) => ({ left: (edge - low) * width, width }));
  return { cells, ticks: edgeTicks("depth", edges, cells, most) };
}

/** Returns a logarithmic axis; a bin spans from the edge before it to its own. */
function logAxis(name: Axis, edges: readonly number[], most: number): BinAxis {
  const places = edges.map((edge) => placeOf(name, edge));
  const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  const typical = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 1;
  const spans = [typical, ...gaps];
  const floor = (spans.reduce((sum, span) => sum + span, 0) / spans.length) * NARROWEST;
  const widths = spans.map((span) => Math.max(span, floor));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const cells: Cell[] = [];
  let left = 0;
  for (const width of widths) {
    cells.push({ left, width: width / total });
    left += width / total;
  }
  return { cells, ticks: powerTicks(name, places, cells, most) ?? edgeTicks(name, edges, cells, most) };
}

/** Returns labels at round powers where the axis spans at least three of them. */
function powerTicks(
  name: Axis,
  places: readonly number[],
  cells: readonly Cell[],
  most: number,
): Tick[] | null {
  const unit = name === "size" ? 1 : Math.log2(10);
  const low = Math.max(0, (places[0] ?? 0) / unit);
  const high = (places.at(-1) ?? 0) / unit;
  const stride = Math.max(1, Math.ceil((high - low) / (most - 1)));
  const ticks: Tick[] = [];
  for (let power = Math.ceil(low / stride) * stride; power <= high + 1e-9; power += stride) {
    const edge = name === "size" ? 2 ** power : 10 ** power;
    ticks.push({ at: positionOf(power * unit, places, cells), label: formatEdge(name, edge) });
  }
  return ticks.length < 3 ? null : ticks;
}

/** Returns a position: the right end of a bin is its edge; between two edges the axis is logarithmic. */
function positionOf(place: number, places: readonly number[], cells: readonly Cell[]): number {
  const index = places.findIndex((edge) => edge >= place - 1e-9);
  const cell = cells[index];
  const right = places[index];
  if (cell === undefined || right === undefined) return 1;
  const before = places[index - 1];
  if (before === undefined) return cell.left + cell.width;
  return cell.left + cell.width * ((place - before) / (right - before));
}

/** Returns the axis of a histogram, the same on every page, with at most so many labels. */
export function axisOf(name: Axis, edges: readonly number[], most: number = MOST_TICKS): BinAxis {
  if (edges.length === 0) return { cells: [], ticks: [] };
  const isEven = name === "free_extents" || !isAscending(edges.map((edge) => placeOf(name, edge)));
  if (isEven) return evenAxis(name, edges, most);
  return name === "depth" ? depthAxis(edges, most) : logAxis(name, edges, most);
}

/** A label touches the left or the right end of its tick where it would leave the axis. */
export const isAtStart = (at: number) => at < 0.05;
export const isAtEnd = (at: number) => at > 0.93;

const CHARACTER_PX = 8;
const GAP_PX = 8;

function extentOf({ at, label }: Tick, width_px: number): { left: number; right: number } {
  const [x, length] = [at * width_px, label.length * CHARACTER_PX];
  if (isAtEnd(at)) return { left: x - length, right: x };
  if (isAtStart(at)) return { left: x, right: x + length };
  return { left: x - length / 2, right: x + length / 2 };
}

/** Returns the ticks whose labels have room beside each other, from the last, which is always shown. */
export function ticksApart(ticks: readonly Tick[], width_px: number): readonly Tick[] {
  const shown: Tick[] = [];
  let limit = Infinity;
  for (const tick of ticks.toReversed()) {
    const { left, right } = extentOf(tick, width_px);
    if (right + GAP_PX > limit) continue;
    shown.unshift(tick);
    limit = left;
  }
  return shown;
}

/** Returns the round number at the top of the value axis, with room to drag the highest bar up. */
export function ceilingAbove(highest: number): number {
  if (!(highest > 0)) return 1;
  const wanted = highest * 1.1;
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((factor) => factor * magnitude >= wanted) ?? 10;
  return Number((step * magnitude).toPrecision(3));
}
