// The cost of accuracy as a curve with a point to pick: by pointer, or by keys as a slider.
import { useMemo, type KeyboardEvent, type PointerEvent } from "react";
import type { Pace, Plan } from "../../api/client";
import { Figure, type ChartTable } from "../../shared/chart/Figure";
import {
  count,
  formatCount,
  formatDuration,
  formatFraction,
  formatRatio,
  fraction,
  ratio,
  seconds,
} from "../../shared/units";
import { budgetAt, nearest, pickedIndex, plotOf, type CurvePoint } from "./curve";
import classes from "./CostCurve.module.css";

interface Props {
  forecast: Plan;
  pace: Pace | null;
  max_rmse: number | null;
  /** Whether the forecast is that of an earlier choice: a new one is being computed. */
  isStale: boolean;
  onPick: (max_rmse: number | null) => void;
}

const steps: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 5,
  PageDown: -5,
  Home: -Infinity,
  End: Infinity,
};

function wordsOf(point: CurvePoint, pace: Pace | null) {
  return {
    overwrites: formatRatio(ratio(point.overwrites)).text,
    rmse: formatFraction(fraction(point.age_rmse)).text,
    ops: formatCount(count(point.ops_count)).text,
    time: pace === null ? null : formatDuration(seconds(point.ops_count / pace.ops_per_s)).text,
  };
}

/** Returns the point of the plan itself: the curve has only some of the points between which it runs. */
function planned({ overwrites, horizon_ops_count, age_rmse, rmse_floor }: Plan): CurvePoint {
  return { overwrites, ops_count: horizon_ops_count, age_rmse: Math.max(age_rmse, rmse_floor) };
}

function tableOf(curve: readonly CurvePoint[], pace: Pace | null): ChartTable {
  const hasTime = pace !== null;
  return {
    columns: ["Overwrites", "Operations", ...(hasTime ? ["Time"] : []), "Age RMSE"],
    rows: curve.map((point) => {
      const { overwrites, ops, time, rmse } = wordsOf(point, pace);
      return [overwrites, ops, ...(time === null ? [] : [time]), rmse];
    }),
  };
}

export function CostCurve({ forecast, pace, max_rmse, isStale, onPick }: Props) {
  const { curve } = forecast;
  const plot = useMemo(() => plotOf(curve), [curve]);
  const index = pickedIndex(curve, max_rmse);
  const point = curve[index];
  const place = plot.points[index];
  if (point === undefined || place === undefined) return null;
  const words = wordsOf(isStale ? point : planned(forecast), pace);
  const time = words.time === null ? "" : `${words.time}, `;
  const said = `${words.overwrites} overwrites, ${words.ops} operations, ${time}age RMSE ${words.rmse}`;
  const pickAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onPick(budgetAt(curve, nearest(plot, (event.clientX - box.left) / box.width)));
  };
  const press = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onPick(budgetAt(curve, Math.min(curve.length - 1, Math.max(0, index + step))));
  };
  const path = plot.points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x * 100} ${y * 100}`).join("");
  return (
    <Figure
      title="Cost against accuracy"
      unit="age RMSE over overwrites, logarithmic"
      aside={said}
      table={() => tableOf(curve, pace)}
    >
      <div
        role="slider"
        tabIndex={0}
        className={classes.plot}
        aria-label="How long to age"
        aria-valuemin={0}
        aria-valuemax={curve.length - 1}
        aria-valuenow={index}
        aria-valuetext={said}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pickAt(event);
        }}
        onPointerMove={(event) => event.buttons === 1 && pickAt(event)}
        onKeyDown={press}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" className={classes.drawing} aria-hidden>
          <path d={path} vectorEffect="non-scaling-stroke" />
        </svg>
        <span className={classes.most} aria-hidden>
          {formatFraction(fraction(plot.most)).text}
        </span>
        <span className={classes.rule} style={{ left: `${place.x * 100}%` }} />
        <span className={classes.point} style={{ left: `${place.x * 100}%`, top: `${place.y * 100}%` }} />
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{formatRatio(ratio(curve[0]?.overwrites ?? 0)).text} overwrites</span>
        <span>{formatRatio(ratio(curve.at(-1)?.overwrites ?? 0)).text}</span>
      </div>
    </Figure>
  );
}
