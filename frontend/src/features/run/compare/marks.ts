// The line styles of the compared runs: ink and dash, so that no two differ by hue alone.
import type { Ink } from "../../../shared/chart/lines/drawing";

export interface Mark {
  ink: Ink;
  width: number;
  dash?: readonly number[];
}

const marks: readonly [Mark, ...Mark[]] = [
  { ink: "series-1", width: 2 },
  { ink: "series-2", width: 2, dash: [10, 4] },
  { ink: "series-3", width: 2, dash: [4, 4] },
  { ink: "series-4", width: 2, dash: [10, 3, 2, 3] },
  { ink: "series-5", width: 2, dash: [2, 3] },
  { ink: "series-6", width: 2, dash: [14, 3, 2, 3, 2, 3] },
];

export function markOf(place: number): Mark {
  return marks[place] ?? marks[0];
}

/** The style of reference levels, thinner than any run's. */
export const floorMark: Mark = { ink: "quiet", width: 1, dash: [1, 4] };
export const targetMark: Mark = { ink: "target", width: 1.5 };
export const budgetMark: Mark = { ink: "target", width: 1.5, dash: [6, 3] };
