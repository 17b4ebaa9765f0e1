import { expect, test } from "vitest";
import type { Profile } from "../../api/client";
import { goalOf, workloadOf } from "../../shared/goal";
import { moreNames } from "../../shared/settings";
import {
  firstOf,
  goalCreate,
  goalOfReplay,
  missingOf,
  usualGoal,
  withBudget,
  withMore,
  wordsOfGoal,
} from "./goal";
import { moreFor } from "./MoreFields";

const settings = {
  profile: null,
  workload: null,
  rounds_count: null,
  ops_count: null,
  replay_of: null,
  survivors: false,
  fullness: 0.7,
};

test("a goal is named by its profile, by its workload, or by the run that it replays", () => {
  expect(goalOf({ ...settings, profile: { title: "Agrawal 2007" } })).toBe("Agrawal 2007 at 70 %");
  expect(goalOf({ ...settings, workload: "fsfb", rounds_count: 1 })).toBe("fsfb, 1 round, at 70 %");
  expect(goalOf({ ...settings, workload: "churn", ops_count: 50 })).toBe("churn, 50 operations, at 70 %");
  const replay = { ...settings, workload: "replay", replay_of: 12, fullness: null } as const;
  expect(goalOf(replay)).toBe("replay of run 12");
  expect(workloadOf({ ...replay, survivors: true })).toBe("survivors of run 12");
});

test("a workload is not asked for what only a profile has, nor a replay for a fullness", () => {
  const goal = { ...usualGoal("agrawal"), max_rmse: 0.1 };
  expect(goalCreate(goal)).toMatchObject({ profile: "agrawal", fullness: 0.7, max_rmse: 0.1 });
  const fsfb = goalCreate({ ...goal, profile: null, workload: "fsfb" });
  expect(fsfb).toEqual({ profile: null, workload: "fsfb", replay_of: null, survivors: false, fullness: 0.7 });
  expect(goalCreate(goalOfReplay(12, true))).toMatchObject({
    replay_of: 12,
    survivors: true,
    fullness: null,
  });
});

test("a run that was chosen to be replayed is forgotten with the replay", () => {
  const chosen = { ...goalOfReplay(12, true), profile: "agrawal", workload: null };
  expect(goalCreate(chosen)).toMatchObject({ replay_of: null, survivors: false });
  expect(goalCreate({ ...chosen, profile: null, workload: "fsfb" })).toMatchObject({ replay_of: null });
});

test("a replay is whole once a run is chosen", () => {
  const goal = { ...usualGoal("agrawal"), profile: null, workload: "replay" } as const;
  expect(missingOf(goal)).toBe("Choose a run to replay");
  expect(wordsOfGoal(goal, [])).toBe("by the log of another run");
  expect(missingOf({ ...goal, replay_of: 12 })).toBeNull();
  expect(wordsOfGoal(goalOfReplay(12, true), [])).toBe("to the survivors of run 12");
});

test("the fullness that is shown is sent, and one out of range is named", () => {
  const goal = { ...usualGoal("agrawal"), fullness: 0.7055 };
  expect(goalCreate(goal)).toMatchObject({ fullness: 0.7055, profile_version_number: null });
  expect(wordsOfGoal(goal, [])).toBe("to agrawal, 70.55 %");
  expect(missingOf(goal)).toBeNull();
  for (const fullness of [null, 1, 0.951, 0.009, -0.1])
    expect(missingOf({ ...goal, fullness })).toBe("Choose a fullness of 1 to 95 %");
  expect(missingOf({ ...goal, profile: null, workload: "fresh", fullness: null })).toBeNull();
});

test("of the other settings a run is asked for those that its mode and its goal have", () => {
  const more = { rounds_count: 9, append_fraction: 0.1, threads_count: 2, seed: 7 };
  expect(moreFor("faithful", "fsfb", more)).toEqual({ rounds_count: 9, seed: 7 });
  expect(moreFor("unbounded", null, more)).toEqual({ append_fraction: 0.1, threads_count: 2, seed: 7 });
  expect(moreNames).toContain("keeps_log");
});

test("a run has one budget: the one that was chosen last", () => {
  const goal = { ...usualGoal("agrawal"), max_rmse: 0.02 };
  expect(wordsOfGoal(goal, [])).toBe("to agrawal, 70 %, age RMSE 2 %");
  expect(withMore(goal, { max_overwrites: 3 }).goal.max_rmse).toBeNull();
  expect(withMore(goal, { seed: 1 }).goal.max_rmse).toBe(0.02);
  expect(withBudget(goal, { max_overwrites: 3 }, 0.1)).toMatchObject({
    goal: { max_rmse: 0.1 },
    more: { max_overwrites: null },
  });
  expect(withBudget(goal, { max_overwrites: 3 }, null).more).toEqual({ max_overwrites: 3 });
});

test("a deleted profile gives way to the next, and at last to the usual one", () => {
  const profiles = ["agrawal", "mail"].map((name) => ({ name }) as Profile);
  expect(firstOf(profiles, "deleted", "mail")).toBe("mail");
  expect(firstOf(profiles, undefined)).toBe("agrawal");
  expect(firstOf(profiles.slice(1), "deleted")).toBe("mail");
});
