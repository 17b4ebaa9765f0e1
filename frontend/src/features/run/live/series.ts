// Pure: the samples of a run as columns, one for each curve.
import type { Sample } from "../../../api/client";
import { overlap } from "./repeated";

/** The curves, and how each reads a sample. The RMSE is null for a workload. */
const curves = {
  ops_count: (sample: Sample): number => sample.ops_count,
  elapsed_s: (sample: Sample): number => sample.elapsed_s,
  fullness: (sample: Sample): number => sample.fullness,
  fullness_statfs: (sample: Sample): number | null => sample.fullness_statfs,
  reuse_lag: (sample: Sample): number | null => sample.lag?.reuse_fraction ?? null,
  allocation_lag: (sample: Sample): number | null => sample.lag?.allocation_fraction ?? null,
  ops_per_s: (sample: Sample): number => sample.ops_per_s,
  size_rmse: (sample: Sample): number | null => sample.histograms?.size.rmse ?? null,
  depth_rmse: (sample: Sample): number | null => sample.histograms?.depth.rmse ?? null,
  age_rmse: (sample: Sample): number | null => sample.histograms?.age.rmse ?? null,
};
type Name = keyof typeof curves;
export type Series = { readonly [Key in Name]: readonly ReturnType<(typeof curves)[Key]>[] };

/** A page that is open for days keeps so many samples, as the server does. */
export const MOST_SAMPLES = 16_384;
const RECENT_SAMPLES = 2_048;

function eachOf(column: (name: Name) => readonly (number | null)[]): Series {
  const columns = (Object.keys(curves) as Name[]).map((name) => [name, column(name)]);
  return Object.fromEntries(columns) as Series;
}

export const emptySeries: Series = eachOf(() => []);

/** Drops every second sample but the recent ones. */
function halved(series: Series): Series {
  const recent = series.ops_count.length - RECENT_SAMPLES;
  return eachOf((name) => series[name].filter((_, row) => row >= recent || row % 2 === 0));
}

/** Appends samples; a resumed run repeats the part of the curves after its checkpoint. */
export function withSamples(series: Series, samples: readonly Sample[]): Series {
  if (samples.length === 0) return series;
  const { kept, added } = overlap(
    series.ops_count,
    samples.map(({ ops_count }) => ops_count),
  );
  const fresh = added.flatMap((index) => samples[index] ?? []);
  const longer = eachOf((name) => {
    const known = series[name];
    return (kept === known.length ? known : known.slice(0, kept)).concat(fresh.map(curves[name]));
  });
  return longer.ops_count.length > MOST_SAMPLES ? halved(longer) : longer;
}

/** Returns the column that a plot of the run is drawn over. */
export function axisOf(series: Series, over: "operations" | "time" | "rounds"): readonly number[] {
  return over === "time" ? series.elapsed_s : series.ops_count;
}

/** A last sample of a smaller part of the time of the one before is too short for a pace. */
const LEAST_OF_TIME = 0.5;

/** Returns the pace of each sample, without that of a last sample of too short a time. */
export function paceOf({ ops_per_s, elapsed_s }: Series): readonly (number | null)[] {
  const [before, start, end] = elapsed_s.slice(-3);
  if (before === undefined || start === undefined || end === undefined) return ops_per_s;
  return end - start < LEAST_OF_TIME * (start - before) ? [...ops_per_s.slice(0, -1), null] : ops_per_s;
}

const LEAST_SMOOTHING = 5;
/** The part of all samples that is smoothed over. */
const SMOOTHING = 1 / 60;

/** Returns the number of samples that the pace is smoothed over. */
export function smoothingOf(series: Series): number {
  return Math.max(LEAST_SMOOTHING, Math.round(series.ops_count.length * SMOOTHING));
}
