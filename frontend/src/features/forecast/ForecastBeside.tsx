// The forecast of a draft: its figures, the bins set aside, and the curve to pick a point on. Shows the last answer
// until the next arrives.
import type { Pace, Plan } from "../../api/client";
import { Figures } from "../../shared/ui/Figures";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";
import { CostCurve } from "./CostCurve";
import { figuresOf } from "./figures";
import classes from "./ForecastBeside.module.css";
import { FigureLines } from "../../shared/ui/waiting/shapes";

interface Props {
  forecast: Plan | undefined;
  /** Null while unknown. */
  pace: Pace | null;
  error: unknown;
  /** The reason why the answer differs from the page, or null. */
  waiting: string | null;
  max_rmse: number | null;
  onPick: (max_rmse: number | null) => void;
}

export function ForecastBeside({ forecast, pace, error, waiting, max_rmse, onPick }: Props) {
  return (
    <>
      <p className={classes.waiting}>{waiting}</p>
      {error !== null && error !== undefined && <RefusalNotice error={error} />}
      {forecast === undefined ? (
        error === null && <FigureLines count={7} />
      ) : (
        <div className={classes.halves}>
          <div>
            <Figures label="Forecast figures" items={figuresOf(forecast, pace)} />
            <SetAsideNote bins={forecast.set_aside} />
          </div>
          <CostCurve
            forecast={forecast}
            pace={pace}
            max_rmse={max_rmse}
            isStale={waiting !== null}
            onPick={onPick}
          />
        </div>
      )}
    </>
  );
}
