// Pure: how sure it is when a run will be done, by how even its own pace has been of late.
import type { Plan } from "../../../api/client";
import type { Series } from "../live/telemetry";

const STRETCHES = 8;
const LEAST_SAMPLES_A_STRETCH = 2;
/** Of what was aged so far this part is recent; older samples may be thinned out. */
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

/** Operations a second in each of some equal stretches of the recent samples. */
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

/** What is left at the lower and the upper quartile of the recent paces of stable aging. Null while there are too few
 * samples of it: creating until it is full is another pace. */
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
