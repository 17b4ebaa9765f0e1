// Pure: the goal of an aging while it is being chosen.
import type { Profile, Run } from "../../api/client";
import described from "../../api/settings.json";
import { hasFullness, workloads, type WorkloadName } from "../../shared/goal";
import { formatFraction, fraction } from "../../shared/units";
import type { Preferred } from "./preferred";
import type { FullnessOf } from "../../shared/modes";
import type { More } from "../../shared/settings";

export const FALLBACK_PROFILE = "agrawal";
export const DEFAULT_FULLNESS = 0.7;

/** The bounds of a fullness: the range of the setting. */
export const LEAST_FULLNESS = described.fullness.minimum;
export const MOST_FULLNESS = described.fullness.maximum;

export interface Goal {
  /** Null for a workload. */
  profile: string | null;
  /** Null for the latest. */
  profile_version_number: number | null;
  workload: WorkloadName | null;
  /** The run whose operation log is replayed. */
  replay_of: number | null;
  survivors: boolean;
  /** As typed, also outside of its range; null while the field is empty. */
  fullness: number | null;
  fullness_of: FullnessOf;
  /** The required age RMSE; null for the best that whole files allow. */
  max_rmse: number | null;
}

export function usualGoal(profile: string): Goal {
  return {
    profile,
    profile_version_number: null,
    workload: null,
    replay_of: null,
    survivors: false,
    fullness: DEFAULT_FULLNESS,
    fullness_of: "files",
    max_rmse: null,
  };
}

/** Returns the settings, and a goal whose budget gives way to theirs: a run has one, the one chosen last. */
export function withMore(goal: Goal, more: More): { goal: Goal; more: More } {
  return { more, goal: more.max_overwrites == null ? goal : { ...goal, max_rmse: null } };
}

/** Returns the goal with the budget, and settings whose budget gives way to it. */
export function withBudget(goal: Goal, more: More, max_rmse: number | null): { goal: Goal; more: More } {
  return { goal: { ...goal, max_rmse }, more: max_rmse === null ? more : { ...more, max_overwrites: null } };
}

/** Returns the goal of an earlier run. */
export function goalLike(run: Run): Goal {
  const { workload, replay_of, survivors, fullness, fullness_of, max_rmse, profile_version_number } = run;
  const goal = { workload, replay_of, survivors, fullness_of, max_rmse, profile_version_number };
  return { ...goal, profile: run.profile?.name ?? null, fullness: fullness ?? DEFAULT_FULLNESS };
}

/** Returns the goal with the version and the budget that were chosen before. */
export function goalWith(goal: Goal, { version, max_rmse }: Preferred): Goal {
  return {
    ...goal,
    max_rmse: max_rmse ?? goal.max_rmse,
    profile_version_number: version ?? goal.profile_version_number,
  };
}

/** Returns the goal of a run's twin. */
export function goalOfReplay(replay_of: number, survivors: boolean): Goal {
  return { ...usualGoal(FALLBACK_PROFILE), profile: null, workload: "replay", replay_of, survivors };
}

/** Returns the request's part: a workload has no histograms to meet, a replay has the fullness of its log. */
export function goalCreate({ fullness, fullness_of, max_rmse, profile_version_number, ...goal }: Goal) {
  if (goal.workload === "replay") return { ...goal, fullness: null };
  const asked = {
    ...goal,
    ...(goal.profile !== null && { profile_version_number }),
    replay_of: null,
    survivors: false,
    fullness: hasFullness(goal.workload) ? fullness : null,
  };
  return goal.workload === null ? { ...asked, fullness_of, max_rmse } : asked;
}

/** Returns what is wrong with the fullness; null where it can be sent. */
export function problemOfFullness({ workload, fullness }: Goal): string | null {
  if (!hasFullness(workload)) return null;
  if (fullness !== null && fullness >= LEAST_FULLNESS && fullness <= MOST_FULLNESS) return null;
  return `Choose a fullness of ${percentOf(LEAST_FULLNESS)} to ${percentOf(MOST_FULLNESS)} %`;
}

/** Returns all digits of a fraction, in percent. */
export function percentOf(value: number): number {
  return Number((value * 100).toPrecision(12));
}

/** Returns what is still to be chosen; null where the goal can be sent. */
export function missingOf(goal: Goal): string | null {
  if (goal.workload === "replay" && goal.replay_of === null) return "Choose a run to replay";
  return problemOfFullness(goal);
}

/** Returns the goal in words: to Agrawal 2007, 70 %, age RMSE 2 %; by fsfb, 70 %; as run 12 did. */
export function wordsOfGoal(goal: Goal, profiles: readonly Profile[]): string {
  const percent = goal.fullness === null ? "…" : `${percentOf(goal.fullness)} %`;
  if (goal.workload === "replay") {
    if (goal.replay_of === null) return "by the log of another run";
    return goal.survivors ? `to the survivors of run ${goal.replay_of}` : `as run ${goal.replay_of} did`;
  }
  if (goal.workload === "fresh") return "as mkfs makes it";
  if (goal.workload !== null) return `by ${workloads[goal.workload].label}, ${percent}`;
  const title = profiles.find(({ name }) => name === goal.profile)?.title ?? goal.profile;
  const budget = goal.max_rmse === null ? "" : `, age RMSE ${formatFraction(fraction(goal.max_rmse)).text}`;
  return `to ${title}, ${percent}${budget}`;
}

/** Returns the first of the names that is a profile. */
export function firstOf(profiles: readonly Profile[], ...names: readonly (string | undefined)[]): string {
  const isThere = (name: string | undefined) => profiles.some((profile) => profile.name === name);
  return [...names, FALLBACK_PROFILE].find(isThere) ?? profiles[0]?.name ?? FALLBACK_PROFILE;
}

/** Returns that profile first, then the others by title as the server sends them. */
export function inOrder(profiles: readonly Profile[], first: string): Profile[] {
  return [...profiles].sort((a, b) => Number(b.name === first) - Number(a.name === first));
}
