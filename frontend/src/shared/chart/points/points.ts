// Lines through means with their intervals, over a common axis.
import { endAbove } from "../bars/bars";

export interface PointOfLine {
  at: number;
  mean: number;
  /** The 95 % interval; null: fewer than two values. */
  low: number | null;
  high: number | null;
}

export interface PointLine {
  label: string;
  /** What the others are compared with. */
  isBase: boolean;
  points: readonly PointOfLine[];
}

export interface Extent {
  from: number;
  to: number;
  /** The end of the vertical axis, which begins at 0. */
  top: number;
}

/** Returns the extent of both axes. */
export function extentOf(lines: readonly PointLine[]): Extent {
  const all = lines.flatMap(({ points }) => points);
  const places = all.map(({ at }) => at);
  const from = Math.min(...places);
  const top = endAbove(all.flatMap(({ mean, high }) => [mean, high ?? 0]));
  return { from, to: Math.max(from + 1, ...places), top };
}

export interface Drawing {
  x: (at: number) => number;
  y: (value: number) => number;
}

/** Returns the places on a drawing of that size. */
export function drawingOf({ from, to, top }: Extent, width: number, height: number): Drawing {
  return {
    x: (at) => ((at - from) / (to - from)) * width,
    y: (value) => height - (value / top) * height,
  };
}

/** Returns the path of a line through its means. */
export function pathThrough({ points }: PointLine, { x, y }: Drawing): string {
  return points
    .map(({ at, mean }, index) => `${index === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(mean).toFixed(1)}`)
    .join("");
}

/** Returns the path of its intervals. */
export function intervalsOf({ points }: PointLine, { x, y }: Drawing): string {
  return points
    .map(({ at, low, high }) =>
      low === null || high === null
        ? ""
        : `M${x(at).toFixed(1)} ${y(Math.max(0, low)).toFixed(1)}V${y(high).toFixed(1)}`,
    )
    .join("");
}

/** Returns the path of a dot at each mean, drawn with round caps. */
export function dotsOf({ points }: PointLine, { x, y }: Drawing): string {
  return points.map(({ at, mean }) => `M${x(at).toFixed(1)} ${y(mean).toFixed(1)}h0`).join("");
}

/** Returns the places of the lines to label, ascending: no two closer than that share of the axis. */
export function labelledPlaces(lines: readonly PointLine[], least: number): number[] {
  const { from, to } = extentOf(lines);
  const all = new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)));
  const kept: number[] = [];
  for (const at of [...all].toSorted((a, b) => a - b)) {
    const before = kept.at(-1);
    if (before === undefined || (at - before) / (to - from) >= least) kept.push(at);
  }
  return kept;
}

/** Returns the figure in words, for those who do not see it. */
export function lastOf(lines: readonly PointLine[], text: (value: number) => string): string {
  return lines
    .flatMap(({ label, points }) => {
      const last = points.at(-1);
      return last === undefined ? [] : [`${label}: ${text(last.mean)} at the end`];
    })
    .join("; ");
}
