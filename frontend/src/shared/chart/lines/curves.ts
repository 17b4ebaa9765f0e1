// Pure: curves, each with its own points, and what of them is drawn over one horizontal axis.
import type { View } from "./view";

/** A curve with increasing x. */
export interface Curve {
  x: readonly number[];
  y: readonly (number | null)[];
}

export type Columns = readonly [x: readonly number[], ...ys: readonly (readonly (number | null)[])[]];

type Column = (number | null)[];

/** Returns every x of all curves, with null where a curve has no point. */
export function together(curves: readonly Curve[]): Columns {
  const xs: number[] = [];
  const ys: Column[] = curves.map(() => []);
  const at = curves.map(() => 0);
  for (;;) {
    let x = Infinity;
    for (let index = 0; index < curves.length; index += 1)
      x = Math.min(x, curves[index]?.x[at[index] ?? 0] ?? Infinity);
    if (x === Infinity) return [xs, ...ys];
    xs.push(x);
    for (let index = 0; index < curves.length; index += 1) {
      const here = at[index] ?? 0;
      const isHere = curves[index]?.x[here] === x;
      ys[index]?.push(isHere ? (curves[index]?.y[here] ?? null) : null);
      if (isHere) at[index] = here + 1;
    }
  }
}

/** Returns the index of the first x that is not below `wanted`; the length if there is none. */
function firstFrom(xs: readonly number[], wanted: number): number {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the last index up to `from` with a value; -1 if there is none. */
function knownUpTo(y: Curve["y"], from: number): number {
  let index = from;
  while (index >= 0 && y[index] == null) index -= 1;
  return index;
}

/** Returns the value at x or the last one before it; null before the first and after the last value. */
export function valueAt({ x, y }: Curve, wanted: number): number | null {
  const next = firstFrom(x, wanted);
  const last = knownUpTo(y, y.length - 1);
  if (last === -1 || wanted > (x[last] ?? 0)) return null;
  return y[knownUpTo(y, x[next] === wanted ? next : next - 1)] ?? null;
}

/** Returns the newest value. */
export function newestOf({ y }: Curve): number | null {
  return y[knownUpTo(y, y.length - 1)] ?? null;
}

/**
 * Returns the part of a curve in view and one point beside it at each end: of each interval the lowest and the highest
 * point, so that no peak is lost. Without the points that have no value.
 */
export function thinned({ x, y }: Curve, { from, to }: View, intervals_count: number): Curve {
  const first = Math.max(0, knownUpTo(y, firstFrom(x, from) - 1));
  const kept: Curve & { x: number[]; y: number[] } = { x: [], y: [] };
  const keep = (row: number) => {
    if (kept.x.at(-1) === x[row]) return;
    kept.x.push(x[row] ?? 0);
    kept.y.push(y[row] ?? 0);
  };
  const width = (to - from) / intervals_count;
  let [interval, lowest, highest] = [-1, -1, -1];
  const flush = () => {
    if (lowest === -1) return;
    keep(Math.min(lowest, highest));
    keep(Math.max(lowest, highest));
    [lowest, highest] = [-1, -1];
  };
  let last = -1;
  for (let row = first; row < x.length; row += 1) {
    const value = y[row];
    if (value == null) continue;
    const at = x[row] ?? 0;
    if (last === -1) keep(row); // the end of the curve, or the point before the view
    last = row;
    const here = width > 0 ? Math.floor((at - from) / width) : row;
    if (here !== interval) flush();
    interval = here;
    if (lowest === -1 || value < (y[lowest] ?? 0)) lowest = row;
    if (highest === -1 || value > (y[highest] ?? 0)) highest = row;
    if (at > to) break;
  }
  flush();
  if (last !== -1) keep(last);
  return kept;
}

/** Returns a line at one value over the span of the curves. Without a value or a span it has no point. */
export function level(value: number | null, curves: readonly Curve[]): Curve {
  if (value === null) return { x: [], y: [] };
  const { from, to } = spanOf(curves);
  if (from > to) return { x: [], y: [] };
  return from === to ? { x: [from], y: [value] } : { x: [from, to], y: [value, value] };
}

/** Returns the curve up to a last point, which replaces a point at the same place. */
export function endingIn({ x, y }: Curve, last: { x: number; y: number | null }): Curve {
  if (last.y === null) return { x, y };
  const kept = x.at(-1) === last.x ? -1 : undefined;
  return { x: [...x.slice(0, kept), last.x], y: [...y.slice(0, kept), last.y] };
}

/** Returns the range of all curves; its ends are infinite where no curve has a point. */
export function spanOf(curves: readonly Curve[]): View {
  return {
    from: Math.min(...curves.map(({ x }) => x[0] ?? Infinity)),
    to: Math.max(...curves.map(({ x }) => x.at(-1) ?? -Infinity)),
  };
}

/** Returns the mean over so many points around each; at the ends over those on one side. */
export function smoothed({ x, y }: Curve, points_count: number): Curve {
  const half = Math.floor(points_count / 2);
  const [sums, counts] = [[0], [0]];
  y.forEach((value, row) => {
    sums.push((sums[row] ?? 0) + (value ?? 0));
    counts.push((counts[row] ?? 0) + (value === null ? 0 : 1));
  });
  const over = (column: readonly number[], from: number, to: number) =>
    (column[to] ?? 0) - (column[from] ?? 0);
  return {
    x,
    y: y.map((value, row) => {
      if (value === null) return null;
      const [from, to] = [Math.max(0, row - half), Math.min(y.length, row + half + 1)];
      return over(sums, from, to) / over(counts, from, to);
    }),
  };
}
