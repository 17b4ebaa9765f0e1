// What an aging is to reach, in words: a profile at a fullness, or a workload in its place.
import type { RunItem } from "../api/client";
import { count, formatCount, formatFraction, fraction } from "./units";

export type WorkloadName = NonNullable<RunItem["workload"]>;

export const workloads: Record<WorkloadName, { label: string; description: string }> = {
  fsfb: {
    label: "fsfb",
    description:
      "A thousand random directories and files of 1 to 150 KiB to the fullness; then rounds, in each of which a random 5 % of the bytes are deleted and as many are created in a new directory.",
  },
  churn: {
    label: "churn",
    description:
      "Creates and deletes 4 to 1 to the fullness, then as many of the ones as of the others: most files of 4 and 8 KiB, few of up to 4 MiB.",
  },
  replay: {
    label: "Replay of a run",
    description: "What another run did to its device, operation by operation, to this one.",
  },
};

export function isWorkload(name: unknown): name is WorkloadName {
  return typeof name === "string" && name in workloads;
}

/** What a run, its request and its recipe say of it. */
export type GoalSettings = Pick<
  RunItem,
  "workload" | "rounds_count" | "ops_count" | "replay_of" | "survivors" | "fullness"
>;

/** Agrawal 2007 at 70 %; fsfb, 500 rounds, at 70 %; replay of run 12. */
export function goalOf(settings: GoalSettings & { profile: { title: string } | null }): string {
  const { profile, fullness } = settings;
  const what = profile === null ? workloadOf(settings) : profile.title;
  if (fullness === null) return what;
  return `${what}${profile === null ? "," : ""} at ${formatFraction(fraction(fullness)).text}`;
}

/** fsfb, 500 rounds */
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
