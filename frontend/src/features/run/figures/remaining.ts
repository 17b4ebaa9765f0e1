// Pure: the range of a run's remaining time, by the variation of its recent pace.
import type { Plan } from "../../../api/client";
import type { Series } from "../live/series";

const STRETCHES = 8;
const LEAST_SAMPLES_A_STRETCH = 2;
/** The recent part of the aging so far; older samples may be thinned out. */
const RECENT = 0.5;
const MOST_SAMPLES = 2_000;

export interface Remaining {
  low_s: number;
  high_s: number;
}

function quartile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

/** Returns the operations per second in equal stretches of the recent samples. */
function recentPaces(
  { ops_count, elapsed_s }: Pick<Series, "ops_count" | "elapsed_s">,
  from: number,
): number[] {
  const last = ops_count.length - 1;
  const recent = Math.min(MOST_SAMPLES, Math.floor((last - from) * RECENT));
  const each = Math.floor(recent / STRETCHES);
  if (each < LEAST_SAMPLES_A_STRETCH) return [];
  return Array.from({ length: STRETCHES }, (_, stretch) => {
    const end = last - stretch * each;
    const between = (column: readonly number[]) => (column[end] ?? 0) - (column[end - each] ?? 0);
    return between(ops_count) / between(elapsed_s);
  });
}

/** Returns the remaining time at the lower and the upper quartile of the recent paces of stable aging. Null while it has
 * too few samples: the rapid phase has another pace. */
export function remainingOf(
  series: Pick<Series, "ops_count" | "elapsed_s">,
  { horizon_ops_count, rapid_ops_count }: Pick<Plan, "horizon_ops_count" | "rapid_ops_count">,
): Remaining | null {
  const from = series.ops_count.findIndex((ops) => ops >= rapid_ops_count);
  if (from === -1) return null;
  const left = Math.max(0, horizon_ops_count - (series.ops_count.at(-1) ?? 0));
  const times = recentPaces(series, from)
    .map((pace) => (left === 0 ? 0 : left / pace))
    .sort((a, b) => a - b);
  const [low_s, high_s] = [quartile(times, 0.25), quartile(times, 0.75)];
  if (times.length === 0 || !Number.isFinite(high_s) || low_s < 0) return null;
  return { low_s, high_s };
}
