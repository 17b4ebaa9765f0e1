// The results of a trial as groups of bars, one figure for each workload.
import type { Trial, TrialFigure } from "../../api/client";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import { formatTimes, labelOfArm, metricOf, nameOfWorkload } from "./words";

export interface WorkloadResult {
  index: number;
  name: string;
  groups: readonly BarGroup[];
}

type Estimate = TrialFigure["estimate"];

function noteOf({ disturbed_count, values }: TrialFigure): string | undefined {
  return disturbed_count === 0 ? undefined : `${disturbed_count} of ${values.length} disturbed`;
}

/** Returns the bar of a figure; null for one without a ratio where ratios are shown. */
function barOf(trial: Trial, figure: TrialFigure, asRatio: boolean): Bar | null {
  const arm = trial.settings.arms[figure.arm];
  const workload = trial.settings.workloads[figure.workload];
  if (arm === undefined || workload === undefined) return null;
  const isBase = arm.is_base === true;
  const one: Estimate = { count: figure.estimate.count, mean: 1, low: null, high: null, deviation: null };
  const shown = asRatio ? (figure.ratio ?? (isBase ? one : null)) : figure.estimate;
  if (shown === null) return null;
  const { text, exact } = (asRatio ? formatTimes : metricOf(workload).format)(shown.mean);
  const note = noteOf(figure);
  const rank = figure.rank === null ? "" : ` (rank ${figure.rank})`;
  return {
    label: arm.state ?? "",
    mean: shown.mean,
    low: shown.low,
    high: shown.high,
    points: asRatio ? [] : figure.values,
    outliers: asRatio ? [] : figure.outliers,
    isBase,
    text: `${text}${rank}`,
    exact: `${exact}; ${intervalOf(shown)}`,
    ...(note !== undefined && { note }),
  };
}

/** Returns the interval in words. */
export function intervalOf({ count, low, high }: Estimate): string {
  if (low === null || high === null) return `${count} ${count === 1 ? "value" : "values"}, no interval`;
  return `95 % interval ${low.toPrecision(4)} to ${high.toPrecision(4)} of ${count} values`;
}

/** Returns the interval as the cell of a table. */
export function textOfInterval({ low, high }: Pick<Estimate, "low" | "high">): string {
  return low === null || high === null ? "–" : `${low.toPrecision(5)} to ${high.toPrecision(5)}`;
}

export function resultsOf(trial: Trial, asRatio: boolean): WorkloadResult[] {
  return trial.settings.workloads.flatMap((workload, index) => {
    const figures = trial.figures.filter((figure) => figure.workload === index);
    const groups = new Map<string, Bar[]>();
    for (const figure of figures) {
      const bar = barOf(trial, figure, asRatio);
      if (bar === null) continue;
      const group = trial.settings.arms[figure.arm]?.group ?? "";
      groups.set(group, [...(groups.get(group) ?? []), bar]);
    }
    if (groups.size === 0) return [];
    const ordered = [...groups].map(([label, bars]) => ({
      label,
      bars: bars.toSorted((a, b) => Number(b.isBase) - Number(a.isBase)),
    }));
    return [{ index, name: nameOfWorkload(workload), groups: ordered }];
  });
}

/** Reports whether any state is compared with a base. */
export function hasRatios({ figures }: Trial): boolean {
  return figures.some(({ ratio }) => ratio !== null);
}

/** Returns the sentences on orders that aging reversed. */
export function changesOf(trial: Trial): string[] {
  return trial.rank_changes.map(({ workload, state, first, second }) => {
    const name = nameOfWorkload(trial.settings.workloads[workload] ?? { kind: "find" });
    return `${name}: ${first} and ${second} change their order once aged to ${state}, beyond the intervals of all four.`;
  });
}

/** Returns the labels of its arms that were left out, with the reason. */
export function missingOf(trial: Trial): string[] {
  const seen = new Map<string, string>();
  for (const { state, arm, error_message } of trial.repetitions) {
    const label = trial.settings.arms[arm];
    if (state === "skipped" && label !== undefined) seen.set(labelOfArm(label), error_message ?? "no image");
  }
  return [...seen].map(([label, why]) => `${label} is left out: ${why}.`);
}
