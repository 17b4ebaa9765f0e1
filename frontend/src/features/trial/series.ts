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

/** Returns the figures of a trial whose results are a series: one for each image, or each group of images. */
export function seriesOf(trial: Trial): Series[] {
  return [
    ...trial.settings.arms.flatMap((_, arm) => ofPulls(trial, arm)),
    ...trial.settings.workloads.flatMap((_, workload) => ofRounds(trial, workload)),
  ];
}

/** Returns the results after pulls on an image, and what the pulls took. */
function ofPulls(trial: Trial, index: number): Series[] {
  const arm = trial.settings.arms[index];
  const figures = trial.figures.filter((figure) => figure.arm === index && figure.points.length > 0);
  if (figures.length === 0 || arm === undefined) return [];
  const lineOf = (figure: TrialFigure, points: readonly PointOfLine[]): PointLine => {
    const workload = trial.settings.workloads[figure.workload];
    const variant = workload?.kind === "git" ? (workload.variant ?? "empty") : "";
    return { label: variant, isBase: variant === "unaged", points };
  };
  const shared = { x: "commits", workloads: figures.map(({ workload }) => workload) };
  const { format, unit } = metricOf({ kind: "git" });
  const where = labelOfArm(arm);
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
    title: `git on ${where}: cold read`,
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
    title: `git on ${where}: a pull`,
    unit: "seconds, with the sync after it; on average since the point before",
    lines: costs,
    format: (value: number) => formatDuration(seconds(value)),
  };
  return costs.length === 0 ? [read] : [read, pulled];
}

/** Returns the results of a workload over the rounds of its images, by group, if each of them has rounds or is a base. */
function ofRounds(trial: Trial, index: number): Series[] {
  const workload = trial.settings.workloads[index];
  const groups = new Map<string, { lines: Map<string, PointOfLine[]>; bases: TrialFigure[] }>();
  for (const figure of trial.figures) {
    const arm = trial.settings.arms[figure.arm];
    if (figure.workload !== index || arm === undefined) continue;
    const found = groups.get(arm.group ?? "") ?? { lines: new Map<string, PointOfLine[]>(), bases: [] };
    groups.set(arm.group ?? "", found);
    if (arm.position != null) {
      const points = found.lines.get(arm.series ?? "") ?? [];
      found.lines.set(arm.series ?? "", [...points, pointOf(arm.position, figure.estimate)]);
    } else if (arm.is_base === true) {
      found.bases.push(figure);
    } else {
      return [];
    }
  }
  if (workload === undefined || [...groups.values()].every(({ lines }) => lines.size === 0)) return [];
  const { unit, isMoreBetter, format } = metricOf(workload);
  return [...groups].map(([group, { lines, bases }]) => {
    const places = [...lines.values()].flat().map(({ at }) => at);
    const ends = places.length === 0 ? [0] : [...new Set([Math.min(...places), Math.max(...places)])];
    return {
      title: `${nameOfWorkload(workload)} on ${group}`,
      unit: `${unit}, ${isMoreBetter ? "more" : "less"} is better`,
      x: "rounds",
      lines: [
        ...[...lines].map(([label, points]) => ({
          label,
          isBase: false,
          points: points.toSorted((a, b) => a.at - b.at),
        })),
        ...bases.map((base) => ({
          label: trial.settings.arms[base.arm]?.state ?? "",
          isBase: true,
          points: ends.map((at) => pointOf(at, base.estimate)),
        })),
      ],
      format,
      workloads: [index],
    };
  });
}
