// Pure: the goal of an aging while it is being chosen.
import type { Profile, Run, RunCreate, RunItem } from "../../api/client";
import { hasFullness, workloads, type WorkloadName } from "../../shared/goal";
import type { FullnessOf } from "../../shared/modes";
import { formatFraction, fraction } from "../../shared/units";

export const FALLBACK_PROFILE = "agrawal";
export const DEFAULT_FULLNESS = 0.7;

export interface Goal {
  /** Null for a workload. */
  profile: string | null;
  workload: WorkloadName | null;
  /** The run whose operation log is replayed. */
  replay_of: number | null;
  survivors: boolean;
  fullness: number;
  fullness_of: FullnessOf;
  /** The required age RMSE; null for the best that whole files allow. */
  max_rmse: number | null;
}

export function usualGoal(profile: string): Goal {
  return {
    profile,
    workload: null,
    replay_of: null,
    survivors: false,
    fullness: DEFAULT_FULLNESS,
    fullness_of: "files",
    max_rmse: null,
  };
}

/** Returns the goal of an earlier run. */
export function goalLike(run: Run): Goal {
  const { workload, replay_of, survivors, fullness, fullness_of, max_rmse } = run;
  const goal = { workload, replay_of, survivors, fullness_of, max_rmse };
  return { ...goal, profile: run.profile?.name ?? null, fullness: fullness ?? DEFAULT_FULLNESS };
}

/** Returns the goal of a run's twin. */
export function goalOfReplay(replay_of: number, survivors: boolean): Goal {
  return { ...usualGoal(FALLBACK_PROFILE), profile: null, workload: "replay", replay_of, survivors };
}

/** Returns the request's part: a workload has no histograms to meet, a replay has the fullness of its log. */
export function goalCreate({ fullness, fullness_of, max_rmse, ...goal }: Goal) {
  if (goal.workload === "replay") return { ...goal, fullness: null };
  const asked = {
    ...goal,
    replay_of: null,
    survivors: false,
    fullness: hasFullness(goal.workload) ? fullness : null,
  };
  return goal.workload === null ? { ...asked, fullness_of, max_rmse } : asked;
}

export function isWhole({ workload, replay_of }: Goal): boolean {
  return workload !== "replay" || replay_of !== null;
}

/** Returns the goal in words: to Agrawal 2007, 70 %; by fsfb, 70 %; as run 12 did. */
export function wordsOfGoal(goal: Goal, profiles: readonly Profile[]): string {
  const percent = formatFraction(fraction(goal.fullness)).text;
  if (goal.workload === "replay") {
    if (goal.replay_of === null) return "by the log of another run";
    return goal.survivors ? `to the survivors of run ${goal.replay_of}` : `as run ${goal.replay_of} did`;
  }
  if (goal.workload === "fresh") return "as mkfs makes it";
  if (goal.workload !== null) return `by ${workloads[goal.workload].label}, ${percent}`;
  return `to ${profiles.find(({ name }) => name === goal.profile)?.title ?? goal.profile}, ${percent}`;
}

/** Returns the last used profile first, then the others by title as the server sends them. */
export function inOrder(profiles: readonly Profile[], last: string): Profile[] {
  return [...profiles].sort((a, b) => Number(b.name === last) - Number(a.name === last));
}

export function lastProfile(newest: RunItem | null | undefined): string {
  return newest?.profile?.name ?? FALLBACK_PROFILE;
}

/** Returns the run's version while the profile is the run's: a later version would make another plan. */
export function versionOf(
  profile: string | null,
  like: Run | null,
): Pick<RunCreate, "profile_version_number"> {
  if (profile === null || like?.profile?.name !== profile) return {};
  return { profile_version_number: like.profile_version_number };
}
