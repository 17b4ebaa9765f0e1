// The goal of an aging in words: a profile at a fullness, or a workload.
import type { RunItem } from "../api/client";
import { count, formatCount, formatFraction, fraction } from "./units";

export type WorkloadName = NonNullable<RunItem["workload"]>;

export const workloads: Record<WorkloadName, { label: string; description: string }> = {
  fsfb: {
    label: "fsfb",
    description:
      "Files of 1 to 150 KiB fill a thousand random directories to the fullness. Then each round deletes a random 5 % of the bytes and creates as many in a new directory.",
  },
  churn: {
    label: "churn",
    description:
      "Four creates for each delete until the fullness is reached, then as many creates as deletes. Most files have 4 or 8 KiB, a few up to 4 MiB.",
  },
  replay: {
    label: "Replay of a run",
    description: "Repeats the operations of another run on this device.",
  },
  fresh: {
    label: "fresh",
    description: "No operations: the image of the file system as it was made.",
  },
};

/** Reports whether a fullness is chosen: a replay has that of its log, a fresh file system none. */
export function hasFullness(workload: WorkloadName | null): boolean {
  return workload !== "replay" && workload !== "fresh";
}

export function isWorkload(name: unknown): name is WorkloadName {
  return typeof name === "string" && name in workloads;
}

/** The fields of a goal that a run, its request and its recipe share. */
export type GoalSettings = Pick<
  RunItem,
  "workload" | "rounds_count" | "ops_count" | "replay_of" | "survivors" | "fullness"
>;

/** Returns the goal: Agrawal 2007 at 70 %; fsfb, 500 rounds, at 70 %; replay of run 12. */
export function goalOf(settings: GoalSettings & { profile: { title: string } | null }): string {
  const { profile, fullness } = settings;
  const what = profile === null ? workloadOf(settings) : profile.title;
  if (fullness === null) return what;
  return `${what}${profile === null ? "," : ""} at ${formatFraction(fraction(fullness)).text}`;
}

/** Returns the workload: fsfb, 500 rounds. */
export function workloadOf({
  workload,
  rounds_count,
  ops_count,
  replay_of,
  survivors,
}: GoalSettings): string {
  const amount = (value: number, unit: string) =>
    `, ${formatCount(count(value)).text} ${value === 1 ? unit : `${unit}s`}`;
  if (workload === null) return "";
  if (workload === "replay") return `${survivors ? "survivors" : "replay"} of run ${replay_of}`;
  const rounds = rounds_count === null ? "" : amount(rounds_count, "round");
  return `${workload}${rounds}${ops_count === null ? "" : amount(ops_count, "operation")}`;
}
