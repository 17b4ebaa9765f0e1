// Pure: the data that the page draws, derived from a run's journal.
import type {
  AgeSummary,
  FreeExtents,
  HistogramName,
  Phase,
  Plan,
  Run,
  JobEvent,
  JobProgress,
  JobState,
  Sample,
  Space,
  WorkloadPlan,
} from "../../../api/client";
import type { Moment } from "../../../shared/chart/grid/heatMap";
import { freeSpaceBins, type Bin } from "../../../shared/chart/histogram/histogram";
import { shareOf } from "../../../shared/job";
import type { Journal } from "./journal";
import { isPhase } from "./phase";

export interface Series {
  ops_count: number[];
  elapsed_s: number[];
  fullness: number[];
  fullness_statfs: (number | null)[];
  reuse_lag: (number | null)[];
  allocation_lag: (number | null)[];
  ops_per_s: number[];
  /** Null values for a workload. */
  rmse: Record<HistogramName, (number | null)[]>;
}

/** The free space after a round. */
export interface Round {
  rounds_count: number;
  /** Since the aging began. */
  elapsed_s: number;
  free_extents: FreeExtents;
}

export interface Telemetry {
  /** The reason of the run's state. */
  said: string;
  state: JobState;
  phase: Phase | null;
  plan: Plan | null;
  /** Replaces the plan of a profile. */
  workload: WorkloadPlan | null;
  sample: Sample | null;
  summary: AgeSummary | null;
  free_extents: FreeExtents | null;
  /** The measurements of the free extents, in order of their operations. */
  free_moments: Moment[];
  /** The measurements after rounds of fsfb. */
  rounds: Round[];
  /** The newest measurement of the free space by cell. */
  space: Space | null;
  /** The progress of the phase, for phases without samples. */
  progress: JobProgress | null;
  series: Series;
  samples_count: number;
}

function emptySeries(): Series {
  return {
    ops_count: [],
    elapsed_s: [],
    fullness: [],
    fullness_statfs: [],
    reuse_lag: [],
    allocation_lag: [],
    ops_per_s: [],
    rmse: { size: [], depth: [], age: [] },
  };
}

function start(run: Run): Telemetry {
  const series = emptySeries();
  const nothing = {
    said: "",
    sample: null,
    free_extents: null,
    free_moments: [],
    rounds: [],
    space: null,
    progress: null,
    samples_count: 0,
  };
  const plan = run.plan?.type === "plan" ? run.plan : null;
  const workload = run.plan?.type === "workload" ? run.plan : null;
  return { state: run.state, phase: run.phase, plan, workload, summary: run.summary, series, ...nothing };
}

/** Drops the part of the curves after the checkpoint, which a resumed run repeats. */
function dropFrom(series: Series, ops_count: number): void {
  const kept = series.ops_count.findIndex((known) => known >= ops_count);
  if (kept === -1) return;
  const { size, depth, age } = series.rmse;
  const columns = [
    series.ops_count,
    series.elapsed_s,
    series.fullness,
    series.fullness_statfs,
    series.reuse_lag,
    series.allocation_lag,
    series.ops_per_s,
    size,
    depth,
    age,
  ];
  for (const column of columns) column.length = kept;
}

function addSample(series: Series, sample: Sample): void {
  const last = series.ops_count.at(-1);
  if (last !== undefined && last >= sample.ops_count) dropFrom(series, sample.ops_count);
  series.ops_count.push(sample.ops_count);
  series.elapsed_s.push(sample.elapsed_s);
  series.fullness.push(sample.fullness);
  series.fullness_statfs.push(sample.fullness_statfs);
  series.reuse_lag.push(sample.lag?.reuse_fraction ?? null);
  series.allocation_lag.push(sample.lag?.allocation_fraction ?? null);
  series.ops_per_s.push(sample.ops_per_s);
  series.rmse.size.push(sample.histograms?.size.rmse ?? null);
  series.rmse.depth.push(sample.histograms?.depth.rmse ?? null);
  series.rmse.age.push(sample.histograms?.age.rmse ?? null);
}

export function seriesOf(samples: readonly Sample[]): Series {
  const series = emptySeries();
  samples.forEach((sample) => addSample(series, sample));
  return series;
}

/** Adds a measurement; those that a resumed run repeats replace the earlier ones. */
function addMoment(moments: Moment[], at: number, free: FreeExtents): void {
  while ((moments.at(-1)?.at ?? -1) >= at) moments.pop();
  moments.push({ at, bins: freeSpaceBins(free) });
}

function addRound(rounds: Round[], round: Round): void {
  while ((rounds.at(-1)?.rounds_count ?? -1) >= round.rounds_count) rounds.pop();
  rounds.push(round);
}

function take(telemetry: Telemetry, { payload }: JobEvent): void {
  switch (payload.type) {
    case "state":
      telemetry.state = payload.state;
      telemetry.said = payload.message;
      if (isPhase(payload.phase) && payload.phase !== telemetry.phase) {
        telemetry.phase = payload.phase;
        telemetry.progress = null;
      }
      if (payload.state === "queued") telemetry.summary = null; // it resumes after an interruption
      break;
    case "plan":
      telemetry.plan = payload;
      break;
    case "workload":
      telemetry.workload = payload;
      break;
    case "sample":
      telemetry.sample = payload;
      telemetry.samples_count += 1;
      addSample(telemetry.series, payload);
      break;
    case "layout":
      telemetry.free_extents = payload.free_extents;
      addMoment(telemetry.free_moments, payload.ops_count, payload.free_extents);
      if (payload.rounds_count != null)
        addRound(telemetry.rounds, {
          rounds_count: payload.rounds_count,
          elapsed_s: payload.elapsed_s,
          free_extents: payload.free_extents,
        });
      break;
    case "space":
      telemetry.space = payload;
      break;
    case "progress":
      telemetry.progress = payload;
      break;
    case "summary":
      telemetry.summary = payload;
      telemetry.free_extents = payload.free_extents ?? telemetry.free_extents;
      break;
    case "step":
    case "checkpoint":
    case "control":
    case "error":
      break;
  }
}

/** Returns the telemetry of a run; the journal's state and phase are newer than the row's. */
export function telemetryOf(run: Run, journal: Journal): Telemetry {
  const telemetry = start(run);
  journal.events.forEach((event) => take(telemetry, event));
  const { sample } = telemetry;
  const isAging = telemetry.phase === "prepare" || telemetry.phase === "rapid";
  if (telemetry.state === "running" && isAging && sample !== null) telemetry.phase = sample.phase;
  return telemetry;
}

export function histogramOf(telemetry: Telemetry, name: HistogramName): Bin[] {
  const measured = telemetry.summary?.histograms?.[name].bins;
  if (measured !== undefined) return measured;
  const observed = telemetry.sample?.histograms?.[name].observed_fractions;
  return (telemetry.plan?.histograms[name] ?? []).map((bin, index) => ({
    ...bin,
    observed_fraction: observed?.[index] ?? null,
  }));
}

export function accuracyOf(telemetry: Telemetry, name: HistogramName) {
  return telemetry.summary?.histograms?.[name] ?? telemetry.sample?.histograms?.[name];
}

/** Reports whether the aging is over, so that the run can no longer be steered. */
export function isAfterAging({ phase }: Telemetry): boolean {
  return phase === "capture" || phase === "restore";
}

/** Returns the progress of the present phase; null when it is unknown. */
export function progressOf(telemetry: Telemetry): number | null {
  const { state, sample, progress } = telemetry;
  const horizon_ops_count = (telemetry.plan ?? telemetry.workload)?.horizon_ops_count;
  if (state === "succeeded") return 1;
  if (isAfterAging(telemetry)) return progress === null ? 0 : (shareOf(progress) ?? 0);
  if (sample !== null && horizon_ops_count !== undefined)
    return Math.min(1, sample.ops_count / Math.max(1, horizon_ops_count));
  return null;
}
