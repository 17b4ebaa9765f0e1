// What accuracy costs, as a curve on which a point is picked: by pointer, or by keys as a slider.
import { useMemo, type KeyboardEvent, type PointerEvent } from "react";
import type { Forecast } from "../../api/client";
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
  forecast: Forecast;
  max_rmse: number | null;
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

function wordsOf({ duration }: Forecast, point: CurvePoint) {
  return {
    overwrites: formatRatio(ratio(point.overwrites)).text,
    rmse: formatFraction(fraction(point.age_rmse)).text,
    ops: formatCount(count(point.ops_count)).text,
    time: formatDuration(seconds(point.ops_count / duration.ops_per_s)).text,
  };
}

function tableOf(forecast: Forecast): ChartTable {
  return {
    columns: ["Overwrites", "Operations", "Time", "Age RMSE"],
    rows: forecast.curve.map((point) => {
      const { overwrites, ops, time, rmse } = wordsOf(forecast, point);
      return [overwrites, ops, time, rmse];
    }),
  };
}

export function CostCurve({ forecast, max_rmse, onPick }: Props) {
  const { curve } = forecast;
  const plot = useMemo(() => plotOf(curve), [curve]);
  const index = pickedIndex(curve, max_rmse);
  const point = curve[index];
  const place = plot.points[index];
  if (point === undefined || place === undefined) return null;
  const words = wordsOf(forecast, point);
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
      unit="age RMSE over overwrites"
      aside={`${words.overwrites} overwrites, ${words.time}, age RMSE ${words.rmse}`}
      table={() => tableOf(forecast)}
    >
      <div
        role="slider"
        tabIndex={0}
        className={classes.plot}
        aria-label="How long to age"
        aria-valuemin={0}
        aria-valuemax={curve.length - 1}
        aria-valuenow={index}
        aria-valuetext={`${words.overwrites} overwrites, ${words.ops} operations, ${words.time}, age RMSE ${words.rmse}`}
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
