// What aging did as it went on: lines over pulls of a repository, or over the rounds of images.
import type { Trial, TrialFigure } from "../../api/client";
import type { PointLine, PointOfLine } from "../../shared/chart/points/points";
import { formatDuration, seconds, type Formatted } from "../../shared/units";
import { labelOfArm, metricOf, nameOfWorkload } from "./words";

export interface Series {
  title: string;
  unit: string;
  /** The unit of the horizontal axis. */
  x: string;
  lines: readonly PointLine[];
  format: (value: number) => Formatted;
  /** Indexes of the workloads whose results it shows. */
  workloads: readonly number[];
}

const pointOf = (at: number, { mean, low, high }: TrialFigure["estimate"]): PointOfLine => ({
  at,
  mean,
  low,
  high,
});

/** Returns the figures of a trial whose results are a series. */
export function seriesOf(trial: Trial): Series[] {
  return [...seriesOfPulls(trial), ...trial.settings.workloads.flatMap((_, index) => ofRounds(trial, index))];
}

/** Returns the results after pulls, and what the pulls took. */
function seriesOfPulls(trial: Trial): Series[] {
  const figures = trial.figures.filter(({ points }) => points.length > 0);
  if (figures.length === 0) return [];
  const armsCount = new Set(figures.map(({ arm }) => arm)).size;
  const lineOf = (figure: TrialFigure, points: readonly PointOfLine[]): PointLine => {
    const arm = trial.settings.arms[figure.arm];
    const workload = trial.settings.workloads[figure.workload];
    const twin = workload?.kind === "git" ? (workload.twin ?? "empty") : "";
    const label = armsCount > 1 && arm !== undefined ? `${labelOfArm(arm)}: ${twin}` : twin;
    return { label, isBase: twin === "unaged", points };
  };
  const shared = { x: "pulls", workloads: [...new Set(figures.map(({ workload }) => workload))] };
  const { format, unit } = metricOf({ kind: "git" });
  const costs = figures
    .map((figure) =>
      lineOf(
        figure,
        figure.points.flatMap(({ at, cost }) => (cost === null ? [] : [pointOf(at, cost)])),
      ),
    )
    .filter(({ points }) => points.length > 0);
  const read = {
    ...shared,
    title: "git: cold read of everything",
    unit: `${unit}, less is better`,
    lines: figures.map((figure) =>
      lineOf(
        figure,
        figure.points.map(({ at, estimate }) => pointOf(at, estimate)),
      ),
    ),
    format,
  };
  const pulled = {
    ...shared,
    title: "git: time of a pull",
    unit: "seconds, with the sync after it; since the point before",
    lines: costs,
    format: (value: number) => formatDuration(seconds(value)),
  };
  return costs.length === 0 ? [read] : [read, pulled];
}

/** Returns the results of a workload over the rounds of its images, if each of them has rounds or is a base. */
function ofRounds(trial: Trial, index: number): Series[] {
  const workload = trial.settings.workloads[index];
  const lines = new Map<string, PointOfLine[]>();
  const bases: { label: string; estimate: TrialFigure["estimate"] }[] = [];
  for (const figure of trial.figures) {
    const arm = trial.settings.arms[figure.arm];
    if (figure.workload !== index || arm === undefined) continue;
    if (arm.position != null) {
      const label = [arm.group, arm.series].filter(Boolean).join(", ");
      lines.set(label, [...(lines.get(label) ?? []), pointOf(arm.position, figure.estimate)]);
    } else if (arm.is_base === true) {
      bases.push({ label: labelOfArm(arm), estimate: figure.estimate });
    } else {
      return [];
    }
  }
  if (workload === undefined || lines.size === 0) return [];
  const places = [...lines.values()].flat().map(({ at }) => at);
  const ends = [...new Set([Math.min(...places), Math.max(...places)])];
  const { unit, isMoreBetter, format } = metricOf(workload);
  return [
    {
      title: nameOfWorkload(workload),
      unit: `${unit}, ${isMoreBetter ? "more" : "less"} is better`,
      x: "rounds",
      lines: [
        ...[...lines].map(([label, points]) => ({
          label,
          isBase: false,
          points: points.toSorted((a, b) => a.at - b.at),
        })),
        ...bases.map(({ label, estimate }) => ({
          label,
          isBase: true,
          points: ends.map((at) => pointOf(at, estimate)),
        })),
      ],
      format,
      workloads: [index],
    },
  ];
}
