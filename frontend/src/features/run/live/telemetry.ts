// Pure: the data that the page draws: a run's row, and what its journal says since.
import type { HistogramName, Run } from "../../../api/client";
import type { Bin } from "../../../shared/chart/histogram/histogram";
import { shareOf } from "../../../shared/job";
import type { Facts, OfRow } from "./facts";
import type { Journal } from "./journal";

export interface Telemetry extends OfRow, Omit<Facts, "known" | "moves_count" | "has_ended"> {}

function ofRow({ state, phase, plan, summary }: Run): OfRow {
  return {
    state,
    phase,
    plan: plan?.type === "plan" ? plan : null,
    workload: plan?.type === "workload" ? plan : null,
    summary,
  };
}

/** Returns the telemetry of a run; reads no event. */
export function telemetryOf(run: Run, { facts: { known, ...facts } }: Journal): Telemetry {
  const telemetry = { ...facts, ...ofRow(run), ...known };
  const { sample, phase } = telemetry;
  const isAging = phase === "prepare" || phase === "rapid";
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
