// Pure: what rounds of fsfb cost.
import type { FreeExtents } from "../../../api/client";
import type { Curve } from "../../../shared/chart/lines/curves";
import type { Layout } from "../live/facts";

/** The free space after a round. */
export interface Round {
  rounds_count: number;
  /** Since the aging began. */
  elapsed_s: number;
  free_extents: FreeExtents;
}

/** Returns the measurements after rounds. */
export function roundsOf(layouts: readonly Layout[]): Round[] {
  return layouts.flatMap(({ rounds_count, elapsed_s, free_extents }) =>
    rounds_count == null ? [] : [{ rounds_count, elapsed_s, free_extents }],
  );
}

/** Returns the time of a round, on average since the measurement before. */
export function timesOf(rounds: readonly Round[]): Curve {
  const later = rounds.slice(1);
  return {
    x: later.map(({ rounds_count }) => rounds_count),
    y: later.map(({ rounds_count, elapsed_s }, index) => {
      const before = rounds[index];
      return before === undefined
        ? null
        : (elapsed_s - before.elapsed_s) / (rounds_count - before.rounds_count);
    }),
  };
}
