// Texts for trials: names of workloads, their metrics, and formats.
import type { Trial, TrialArm, TrialWorkload } from "../../api/client";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatRatio,
  ratio,
  seconds,
  shortened,
  type Formatted,
} from "../../shared/units";

type WorkloadKind = TrialWorkload["kind"];

interface Metric {
  /** The unit, as an axis names it. */
  unit: string;
  isMoreBetter: boolean;
  format: (value: number) => Formatted;
}

const rate =
  (what: string) =>
  (value: number): Formatted => ({
    text: `${formatCount(count(value)).text}/s`,
    exact: `${value} ${what} a second`,
  });

const coldRead: Metric = {
  unit: "seconds per GiB",
  isMoreBetter: false,
  format: (value) => ({ text: `${formatCount(count(value)).text} s`, exact: `${value} s per GiB` }),
};

const metrics: Record<WorkloadKind, Metric> = {
  personality: { unit: "operations a second", isMoreBetter: true, format: rate("operations") },
  fio: {
    unit: "bytes a second",
    isMoreBetter: true,
    format: (value) => ({ text: `${formatBytes(bytes(value)).text}/s`, exact: `${value} bytes a second` }),
  },
  postmark: { unit: "transactions a second", isMoreBetter: true, format: rate("transactions") },
  grep: coldRead,
  git: coldRead,
  command: { unit: "seconds", isMoreBetter: false, format: (value) => formatDuration(seconds(value)) },
  find: { unit: "seconds", isMoreBetter: false, format: (value) => formatDuration(seconds(value)) },
  du: { unit: "seconds", isMoreBetter: false, format: (value) => formatDuration(seconds(value)) },
  rm: { unit: "seconds", isMoreBetter: false, format: (value) => formatDuration(seconds(value)) },
};

export function metricOf({ kind }: { kind: WorkloadKind }): Metric {
  return metrics[kind];
}

export const formatTimes = (value: number): Formatted => {
  const { text, exact } = formatRatio(ratio(value));
  return { text: `${text} ×`, exact };
};

/** Returns the label of a tick: without redundant zeros. */
export function tickOf(format: (value: number) => Formatted): (value: number) => string {
  return (value) => shortened(format(value));
}

export function nameOfWorkload(workload: TrialWorkload): string {
  if (workload.kind === "git") {
    const of = workload.repository == null ? "" : ` of ${workload.repository.split("/").at(-1)}`;
    return `git, ${workload.variant ?? "empty"}${of}`;
  }
  if (workload.kind === "postmark") return "postmark program";
  return "name" in workload ? workload.name : workload.kind;
}

export function labelOfArm({ group, state }: TrialArm): string {
  return [group, state].filter(Boolean).join(", ");
}

export function titleOf({ id, name }: Pick<Trial, "id" | "name">): string {
  return name === "" ? `Trial ${id}` : name;
}

/** The workloads that have no settings on the page, by their names. */
export const programs = [
  {
    kind: "grep",
    name: "grep",
    summary: "Reads every file once, with empty caches: seconds per GiB. Needs data in the files.",
  },
  { kind: "find", name: "find", summary: "Visits every name and inode once." },
  { kind: "du", name: "du", summary: "Sums the blocks of every file." },
  { kind: "rm", name: "rm", summary: "Removes every file, and waits until that is durable." },
  {
    kind: "postmark",
    name: "postmark program",
    summary: "Katcher's own program, as a check of postmark: 500 files, 5 000 transactions.",
  },
] as const;
