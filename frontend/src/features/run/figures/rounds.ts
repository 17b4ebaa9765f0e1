// Pure: what rounds of fsfb cost.
import type { Columns } from "../../../shared/chart/lines/LivePlot";
import type { Round } from "../live/telemetry";

/** Returns the time of a round, on average since the measurement before. */
export function timesOf(rounds: readonly Round[]): Columns {
  const later = rounds.slice(1);
  return [
    later.map(({ rounds_count }) => rounds_count),
    later.map(({ rounds_count, elapsed_s }, index) => {
      const before = rounds[index];
      return before === undefined
        ? null
        : (elapsed_s - before.elapsed_s) / (rounds_count - before.rounds_count);
    }),
  ];
}
