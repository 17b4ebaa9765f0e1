// Latency distributions, summed over the repetitions of a workload on an image.
import type { Trial } from "../../api/client";
import type { MeasuredRepetition } from "./queries";
import { labelOfArm, nameOfWorkload } from "./words";

export interface Operation {
  key: string;
  label: string;
  workload: number;
  name: string;
}

export interface LatencyLine {
  label: string;
  isBase: boolean;
  count: number;
  /** Share of operations that took at most so long, ascending. */
  points: readonly { us: number; share: number }[];
  quantiles: readonly { fraction: number; us: number }[];
  max_us: number;
}

const fractions = [0.5, 0.9, 0.99, 0.999] as const;

/** Returns the operations on files that were measured, in the order of their workloads. */
export function operationsOf(trial: Trial, rows: readonly MeasuredRepetition[]): Operation[] {
  const found = new Map<string, Operation>();
  for (const { workload, measurement } of rows.toSorted((a, b) => a.workload - b.workload)) {
    const settings = trial.settings.workloads[workload];
    if (settings === undefined) continue;
    for (const { name, is_counted, count } of measurement?.operations ?? []) {
      const key = `${workload} ${name}`;
      if (is_counted && count > 0 && !found.has(key))
        found.set(key, { key, label: `${nameOfWorkload(settings)}: ${name}`, workload, name });
    }
  }
  return [...found.values()];
}

export function chosenOf(operations: readonly Operation[], key: string | null): Operation | undefined {
  return operations.find((operation) => operation.key === key) ?? operations[0];
}

function lineOf(label: string, isBase: boolean, histogram: ReadonlyMap<number, number>): LatencyLine {
  const sorted = [...histogram].toSorted(([a], [b]) => a - b);
  const count = sorted.reduce((sum, [, number]) => sum + number, 0);
  let passed = 0;
  const points = sorted.map(([us, number]) => {
    passed += number;
    return { us, share: passed / count };
  });
  const at = (fraction: number) => points.find(({ share }) => share >= fraction)?.us ?? 0;
  return {
    label,
    isBase,
    count,
    points,
    quantiles: fractions.map((fraction) => ({ fraction, us: at(fraction) })),
    max_us: sorted.at(-1)?.[0] ?? 0,
  };
}

/** Returns a line for each image. A quantile is the upper end of its bucket, a quarter of a power of two wide. */
export function latenciesOf(
  trial: Trial,
  rows: readonly MeasuredRepetition[],
  { workload, name }: Operation,
): LatencyLine[] {
  return trial.settings.arms.flatMap((arm, index) => {
    const histogram = new Map<number, number>();
    for (const row of rows) {
      if (row.arm !== index || row.workload !== workload) continue;
      const operation = row.measurement?.operations?.find((other) => other.name === name);
      for (const [us = 0, number = 0] of operation?.histogram ?? [])
        histogram.set(us, (histogram.get(us) ?? 0) + number);
    }
    return histogram.size === 0 ? [] : [lineOf(labelOfArm(arm), arm.is_base === true, histogram)];
  });
}

/** Returns the decades of microseconds that the lines span. */
export function decadesOf(lines: readonly LatencyLine[]): [first: number, last: number] {
  const all = lines.flatMap(({ points }) => points.map(({ us }) => us)).filter((us) => us > 0);
  if (all.length === 0) return [0, 1];
  const first = Math.floor(Math.log10(Math.min(...all)));
  return [first, Math.max(first + 1, Math.ceil(Math.log10(Math.max(...all))))];
}
