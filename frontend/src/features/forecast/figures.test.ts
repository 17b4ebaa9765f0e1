// What the figures of a forecast say about its age bins and its fullness.
import { expect, test } from "vitest";
import type { Plan } from "../../api/client";
import { emptyOldestOf, figuresOf, mayMissFullness } from "./figures";

function planOf(shares: readonly number[], critical_age_bin: number): Plan {
  const age = shares.map((target_fraction, index) => ({ edge: 10 * 4 ** index, target_fraction }));
  return {
    histograms: { age },
    critical_age_bin,
    minimal_horizon_ops_count: 1000,
    runner_up_horizon_ops_count: 600,
    horizon_ops_count: 1050,
    files_count: 100,
    fullness: 0.7,
    fullness_band: 0.02,
    overwrites: 3,
    written_bytes: 4096,
    age_rmse: 0,
    rmse_floor: 0.001,
  } as unknown as Plan;
}

const noteOf = (plan: Plan) => figuresOf(plan, null).find(({ label }) => label === "Critical age bin")?.note;

test("the critical bin says what it costs", () => {
  expect(noteOf(planOf([0.5, 0.3, 0.2], 0))).toBe(
    "sets the length: 400 operations more than the next bin, 40 %",
  );
});

test("an oldest bin without files is named as the reason of a long run", () => {
  expect(emptyOldestOf(planOf([0.5, 0.5], 0))).toBeNull();
  expect(noteOf(planOf([0.5, 0.5, 0], 0))).toContain("The oldest bin has no files");
});

test("a small device may miss its fullness", () => {
  const plan = planOf([1], 0);
  expect(mayMissFullness(plan)).toBe(true);
  expect(mayMissFullness({ ...plan, fullness_band: 0.0025 })).toBe(false);
});
