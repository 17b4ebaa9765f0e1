// The figures of a forecast, the same wherever one stands.
import type { Forecast } from "../../api/client";
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
  formatRatio,
  fraction,
  opsPerSecond,
  ratio,
  seconds,
} from "../../shared/units";

type Duration = Forecast["duration"];

/** Whose rate a duration was reckoned with: said, so that nobody takes a guess for a measurement. */
export function basisOf({ basis, runs_count, ops_per_s }: Duration): string {
  const runs = runs_count === 1 ? "1 earlier run" : `${runs_count} earlier runs`;
  const rate = formatOpsPerSecond(opsPerSecond(ops_per_s)).text;
  switch (basis) {
    case "device":
      return `at ${rate}, by ${runs} on this device`;
    case "kind":
      return `at ${rate}, by ${runs} on devices of its kind`;
    case "default":
      return `at ${rate}, a cautious guess: nothing was run yet`;
  }
}

/** What the run would be shorter by, were the critical bin left out. */
function savingOf(plan: Forecast): string {
  const saved = plan.minimal_horizon_ops_count - plan.runner_up_horizon_ops_count;
  if (saved <= 0) return "sets the length, as others do";
  const share = formatFraction(fraction(saved / plan.minimal_horizon_ops_count)).text;
  const time = formatDuration(seconds(saved / plan.duration.ops_per_s)).text;
  return `relaxing it saves ${formatCount(count(saved)).text} operations, ${share}, ${time}`;
}

export function figuresOf(plan: Forecast): FigureItem[] {
  const critical = plan.histograms.age[plan.critical_age_bin];
  const items: FigureItem[] = [
    {
      label: "Time",
      value: <Exact value={formatDuration(seconds(plan.duration.seconds))} />,
      note: basisOf(plan.duration),
    },
    { label: "Files", value: <Exact value={formatCount(count(plan.files_count))} /> },
    { label: "Operations", value: <Exact value={formatCount(count(plan.horizon_ops_count))} /> },
    {
      label: "Overwrites",
      value: <Exact value={formatRatio(ratio(plan.overwrites))} />,
      note: <Exact value={formatBytes(bytes(plan.written_bytes))} />,
    },
    {
      label: "Age RMSE",
      value: <Exact value={formatFraction(fraction(plan.age_rmse))} />,
      note: `beside the integer floor, ${formatFraction(fraction(plan.rmse_floor)).text}`,
    },
  ];
  if (critical !== undefined) {
    items.push({
      label: "Critical age bin",
      value: `under ${formatEdge("age", critical.edge)}`,
      note: savingOf(plan),
    });
  }
  return items;
}
