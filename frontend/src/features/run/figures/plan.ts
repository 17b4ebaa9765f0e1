// Pure: the values that a run's plan predicts at an operation, to compare with measurements.
import type { Plan } from "../../../api/client";
import type { WindowState } from "../../../shared/chart/histogram/histogram";

/** The tolerance of "on plan": the plan is in real numbers, and whole files deviate from it on a small device. */
const ON_PLAN = 0.01;

/** What is less is a rest of the plan's arithmetic. */
const LEAST = 1e-9;

/** Returns the planned age RMSE at operations in order; null before the plan began and after its end. */
export function plannedRmse({ planned_rmse }: Plan, ops_counts: readonly number[]): (number | null)[] {
  let next = 0;
  return ops_counts.map((ops_count) => {
    while ((planned_rmse[next]?.ops_count ?? Infinity) < ops_count) next += 1;
    const [from, to] = [planned_rmse[next - 1], planned_rmse[next]];
    if (to === undefined) return null;
    if (from === undefined) return to.ops_count === ops_count ? to.age_rmse : null;
    const share = (ops_count - from.ops_count) / (to.ops_count - from.ops_count);
    const planned = from.age_rmse + share * (to.age_rmse - from.age_rmse);
    return planned < LEAST ? 0 : planned;
  });
}

/** Returns the distance of a measured age RMSE from the plan, as a fraction; 0 when it is on plan. */
export function offPlan(plan: Plan, ops_count: number, measured: number): number | null {
  const [planned] = plannedRmse(plan, [ops_count]);
  if (planned == null) return null;
  return Math.abs(measured - planned) <= ON_PLAN ? 0 : measured - planned;
}

/** Returns the state of each age bin's window of the horizon, in which its files are created, the oldest first. */
export function windowStates({ horizon_ops_count, histograms }: Plan, ops_count: number): WindowState[] {
  const oldest = histograms.age.at(-1)?.edge ?? 1;
  return histograms.age.map((bin, index) => {
    const younger = histograms.age[index - 1]?.edge ?? 0;
    if (ops_count >= Math.floor(horizon_ops_count * (1 - younger / oldest))) return "closed";
    return ops_count >= Math.floor(horizon_ops_count * (1 - bin.edge / oldest)) ? "filling" : "future";
  });
}
