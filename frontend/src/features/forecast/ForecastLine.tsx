// The forecast in one line, which stays in view while its histograms are edited.
import type { Pace, Plan } from "../../api/client";
import { count, formatCount, formatDuration, formatRatio, ratio, seconds } from "../../shared/units";
import { mayMissFullness } from "./figures";
import classes from "./ForecastLine.module.css";

interface Props {
  forecast: Plan | undefined;
  /** Null while unknown. */
  pace: Pace | null;
  /** The goal of the forecast: a capacity and a fullness. */
  goal: string;
  /** Whether the forecast is not that of the histograms on the page. */
  isOld: boolean;
}

/** Returns the figures that matter most first: a narrow page cuts the last ones. */
function partsOf(plan: Plan, pace: Pace | null): string[] {
  const { horizon_ops_count, overwrites, set_aside } = plan;
  const ops = `${formatCount(count(horizon_ops_count)).text} operations`;
  return [
    pace === null ? ops : formatDuration(seconds(horizon_ops_count / pace.ops_per_s)).text,
    `overwrites ${formatRatio(ratio(overwrites)).text}`,
    set_aside.length === 0 ? "every bin fits" : `${set_aside.length} set aside`,
    ...(mayMissFullness(plan) ? ["may miss its fullness"] : []),
  ];
}

/** Not a live region: it changes many times in a second, and the figures below it say the same. */
export function ForecastLine({ forecast, pace, goal, isOld }: Props) {
  const parts = forecast === undefined ? ["not computed yet"] : partsOf(forecast, pace);
  return (
    <div className={classes.line} role="group" aria-label="Forecast summary">
      <strong>{isOld ? "Last forecast" : "Forecast"}</strong>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
      <span className={classes.goal}>{goal}</span>
    </div>
  );
}
