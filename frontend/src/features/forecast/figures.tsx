// The figures of a forecast, the same on every page.
import type { Pace, Plan } from "../../api/client";
import { Term } from "../../shared/help/Term";
import { Exact } from "../../shared/ui/Exact";
import type { FigureItem } from "../../shared/ui/Figures";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatEdge,
  formatFraction,
  formatOpsPerSecond,
  formatTimes,
  fraction,
  opsPerSecond,
  ratio,
  seconds,
} from "../../shared/units";

/** Returns the basis of a duration, so that a guess is not taken for a measurement. */
export function basisOf({ basis, runs_count, ops_per_s }: Pace): string {
  const runs = runs_count === 1 ? "1 earlier run" : `${runs_count} earlier runs`;
  const rate = formatOpsPerSecond(opsPerSecond(ops_per_s)).text;
  switch (basis) {
    case "device":
      return `at ${rate}, by ${runs} on this device`;
    case "kind":
      return `at ${rate}, by ${runs} on devices of its kind`;
    case "default":
      return `at ${rate}, a careful guess: nothing is measured yet`;
  }
}

/** Returns what the critical bin costs beyond the next one. */
function savingOf(plan: Plan, pace: Pace | null): string {
  const saved = plan.minimal_horizon_ops_count - plan.runner_up_horizon_ops_count;
  if (saved <= 0) return "sets the length, with other bins";
  const share = formatFraction(fraction(saved / plan.minimal_horizon_ops_count)).text;
  const ops = `sets the length: ${formatCount(count(saved)).text} operations more than the next bin, ${share}`;
  return pace === null ? ops : `${ops}, ${formatDuration(seconds(saved / pace.ops_per_s)).text}`;
}

/** Returns why an empty oldest bin makes a run long; null without one. */
export function emptyOldestOf({ histograms }: Plan): string | null {
  return histograms.age.at(-1)?.target_fraction === 0
    ? "The oldest bin has no files, so all files are created late in the run. Without that bin the run is shorter."
    : null;
}

function timeOf(plan: Plan, pace: Pace | null): FigureItem {
  if (pace === null) return { label: "Time", value: "–", note: "not known yet" };
  const value = <Exact value={formatDuration(seconds(plan.horizon_ops_count / pace.ops_per_s))} />;
  return { label: "Time", value, note: basisOf(pace) };
}

/** Reports whether whole files may keep a small device from its target. */
export function mayMissFullness({ fullness_band }: Plan): boolean {
  return fullness_band > 0.01;
}

/** Returns the fullness with its band: whole files keep a small device from its target. */
function fullnessOf(plan: Plan): FigureItem {
  const { fullness, fullness_band } = plan;
  const points = Number((100 * fullness_band).toPrecision(2));
  const note = mayMissFullness(plan)
    ? "may miss its target: the largest file is large for this device"
    : "of file data";
  return { label: "Fullness", value: `${formatFraction(fraction(fullness)).text} ± ${points} points`, note };
}

export function figuresOf(plan: Plan, pace: Pace | null): FigureItem[] {
  const critical = plan.histograms.age[plan.critical_age_bin];
  const items: FigureItem[] = [
    timeOf(plan, pace),
    fullnessOf(plan),
    { label: "Files", value: <Exact value={formatCount(count(plan.files_count))} /> },
    { label: "Operations", value: <Exact value={formatCount(count(plan.horizon_ops_count))} /> },
    {
      label: "Overwrites",
      value: <Exact value={formatTimes(ratio(plan.overwrites))} />,
      note: <>the device's size, {<Exact value={formatBytes(bytes(plan.written_bytes))} />} written</>,
    },
    {
      label: "Age RMSE",
      // The plan of whole histograms is exact before its files are rounded to whole ones.
      value: <Exact value={formatFraction(fraction(Math.max(plan.age_rmse, plan.rmse_floor)))} />,
      note: (
        <>
          <Term of="integer-floor">best possible with whole files</Term>{" "}
          {formatFraction(fraction(plan.rmse_floor)).text}
        </>
      ),
    },
  ];
  if (critical !== undefined) {
    items.push({
      label: "Critical age bin",
      value: `under ${formatEdge("age", critical.edge)}`,
      note: emptyOldestOf(plan) ?? savingOf(plan, pace),
    });
  }
  return items;
}
