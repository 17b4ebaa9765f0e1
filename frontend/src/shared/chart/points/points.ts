// Lines through means with their intervals, over a common axis.
import { endOf } from "../bars/bars";

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
  const bars = all.map(({ mean, low, high }) => ({
    label: "",
    mean,
    low,
    high,
    points: [],
    outliers: [],
    isBase: false,
    text: "",
    exact: "",
  }));
  return { from, to: Math.max(from + 1, ...places), top: endOf([{ label: "", bars }]) };
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

/** Returns the places of all lines, ascending. */
export function placesOf(lines: readonly PointLine[]): number[] {
  return [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)))].toSorted((a, b) => a - b);
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
