// The forecast of a profile: its goal, its figures, its cost curve, and what leads on.
import type { ReactNode } from "react";
import type { Pace } from "../../api/client";
import { ForecastBeside } from "../../features/forecast/ForecastBeside";
import classes from "./Editing.module.css";
import { GoalBar } from "./GoalBar";
import type { DraftForecast, ForecastGoal } from "./useDraftForecast";

export const FIRST_GOAL: ForecastGoal = {
  capacity_bytes: 100 * 2 ** 30,
  fullness: 0.7,
  device_id: null,
  max_rmse: null,
};

interface Props extends Omit<DraftForecast, "request"> {
  goal: ForecastGoal;
  pace: Pace | null;
  onGoal: (change: (now: ForecastGoal) => ForecastGoal) => void;
  children: ReactNode;
}

export function ForecastSection({ goal, forecast, error, waiting, pace, onGoal, children }: Props) {
  return (
    <section aria-labelledby="forecast">
      <div className="patina-section">
        <h2 id="forecast">Forecast</h2>
        <span>computed, not measured</span>
      </div>
      <GoalBar goal={goal} onChange={onGoal} />
      <ForecastBeside
        {...{ forecast, error, waiting, pace }}
        max_rmse={goal.max_rmse}
        onPick={(max_rmse) => onGoal((now) => ({ ...now, max_rmse }))}
      />
      <div className={classes.onward}>{children}</div>
    </section>
  );
}
