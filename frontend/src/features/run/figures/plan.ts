// Pure: what a run's plan promises at an operation, to compare what is measured with.
import type { Plan } from "../../../api/client";
import type { WindowState } from "../../../shared/chart/histogram/histogram";

/** The plan is in real numbers: whole files keep a small device this far from it. */
const ON_PLAN = 0.01;

/** The age RMSE that is planned at an operation; null before the plan began. */
export function plannedRmse({ planned_rmse }: Plan, ops_count: number): number | null {
  const next = planned_rmse.findIndex((point) => point.ops_count >= ops_count);
  const to = planned_rmse[next];
  if (to === undefined) return null;
  const from = planned_rmse[next - 1];
  if (from === undefined) return to.ops_count === ops_count ? to.age_rmse : null;
  const share = (ops_count - from.ops_count) / (to.ops_count - from.ops_count);
  return from.age_rmse + share * (to.age_rmse - from.age_rmse);
}

/** How far a measured age RMSE is from the plan, in fractions; 0 when it is on plan. */
export function offPlan(plan: Plan, ops_count: number, measured: number): number | null {
  const planned = plannedRmse(plan, ops_count);
  if (planned === null) return null;
  return Math.abs(measured - planned) <= ON_PLAN ? 0 : measured - planned;
}

/** Files of an age bin are created in its window of the horizon, the oldest first. */
export function windowStates({ horizon_ops_count, histograms }: Plan, ops_count: number): WindowState[] {
  const oldest = histograms.age.at(-1)?.edge ?? 1;
  return histograms.age.map((bin, index) => {
    const younger = histograms.age[index - 1]?.edge ?? 0;
    if (ops_count >= Math.floor(horizon_ops_count * (1 - younger / oldest))) return "closed";
    return ops_count >= Math.floor(horizon_ops_count * (1 - bin.edge / oldest)) ? "filling" : "future";
  });
}
