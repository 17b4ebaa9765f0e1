// Pure: the geometry of the cost-against-accuracy curve, and the point picked on it.
import type { Plan } from "../../api/client";

export type CurvePoint = Plan["curve"][number];

export interface Plot {
  /** The highest age RMSE, at the top. */
  most: number;
  /** Fractions of the drawing, 0 to 1; y grows downwards. */
  points: readonly { x: number; y: number }[];
  xOf: (overwrites: number) => number;
  yOf: (age_rmse: number) => number;
}

/** Returns the curve with overwrites on a log axis: equal steps multiply the cost by the same factor. */
export function plotOf(curve: readonly CurvePoint[]): Plot {
  const low = Math.log(Math.max(curve[0]?.overwrites ?? 1, 1e-9));
  const high = Math.log(Math.max(curve.at(-1)?.overwrites ?? 1, 1e-9));
  const most = Math.max(1e-9, ...curve.map(({ age_rmse }) => age_rmse));
  const span = high > low ? high - low : 1;
  const xOf = (overwrites: number) =>
    Math.min(1, Math.max(0, (Math.log(Math.max(overwrites, 1e-9)) - low) / span));
  const yOf = (age_rmse: number) => 1 - Math.min(1, age_rmse / most);
  return {
    most,
    xOf,
    yOf,
    points: curve.map((point) => ({ x: xOf(point.overwrites), y: yOf(point.age_rmse) })),
  };
}

/** Returns the point whose cost is nearest to the pointer. */
export function nearest(plot: Plot, x: number): number {
  let best = 0;
  plot.points.forEach((point, index) => {
    if (Math.abs(point.x - x) < Math.abs((plot.points[best]?.x ?? 0) - x)) best = index;
  });
  return best;
}

/** Returns the plan's point on the curve: the first that meets the budget. */
export function pickedIndex(curve: readonly CurvePoint[], max_rmse: number | null): number {
  if (max_rmse === null) return curve.length - 1;
  const index = curve.findIndex(({ age_rmse }) => age_rmse <= max_rmse);
  return index === -1 ? curve.length - 1 : index;
}

/** Returns the budget of a point; the last point is the whole histogram and has none. */
export function budgetAt(curve: readonly CurvePoint[], index: number): number | null {
  const point = curve[index];
  return point === undefined || index >= curve.length - 1 || point.age_rmse <= 0 ? null : point.age_rmse;
}
