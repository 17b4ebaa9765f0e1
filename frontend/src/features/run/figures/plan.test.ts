// The values that a plan predicts at an operation.
import { expect, test } from "vitest";
import type { Plan } from "../../../api/client";
import { offPlan, plannedRmse, windowStates } from "./plan";

const bin = (edge: number) => ({ edge, target_fraction: 0.25 });
const plan = {
  horizon_ops_count: 1000,
  histograms: { age: [bin(0.1), bin(1), bin(2)] },
  planned_rmse: [
    { ops_count: 100, age_rmse: 0.4 },
    { ops_count: 500, age_rmse: 0.2 },
    { ops_count: 1000, age_rmse: 0 },
  ],
} as unknown as Plan;

test("the planned RMSE is read between the points of the plan, and nowhere else", () => {
  const rest = {
    ...plan,
    planned_rmse: [...plan.planned_rmse.slice(0, 2), { ops_count: 1000, age_rmse: 4.5e-17 }],
  };
  expect(plannedRmse(rest, [1000])).toEqual([0]);
  const at = [99, 100, 300, 1000, 1001];
  expect(plannedRmse(plan, at)).toEqual([null, 0.4, expect.closeTo(0.3), 0, null]);
});

test("a run within one point of its plan is on plan; beyond that the distance has its sign", () => {
  expect(offPlan(plan, 300, 0.309)).toBe(0);
  expect(offPlan(plan, 300, 0.35)).toBeCloseTo(0.05);
  expect(offPlan(plan, 300, 0.2)).toBeCloseTo(-0.1);
  expect(offPlan({ ...plan, planned_rmse: [] }, 300, 0.3)).toBeNull();
});

test("an age bin's window is future, then filling, then closed, the oldest first", () => {
  expect(windowStates(plan, 0)).toEqual(["future", "future", "filling"]);
  expect(windowStates(plan, 499)).toEqual(["future", "future", "filling"]);
  expect(windowStates(plan, 500)).toEqual(["future", "filling", "closed"]);
  expect(windowStates(plan, 950)).toEqual(["filling", "closed", "closed"]);
  expect(windowStates(plan, 1000)).toEqual(["closed", "closed", "closed"]);
});
