// The labels below an axis, kept inside its ends.
import classes from "./AxisLabels.module.css";
import type { Axis } from "./axis";

export const percent = (part: number) => `${Math.round(part * 1e5) / 1e3}%`;

export function AxisLabels({ axis }: { axis: Axis }) {
  return (
    <div className={classes.axis} aria-hidden>
      {axis.ticks.map(({ at, label }) => (
        <span
          key={label}
          style={{ left: percent(at) }}
          data-end={at > 0.93 || undefined}
          data-start={at < 0.05 || undefined}
        >
          {label}
        </span>
      ))}
    </div>
  );
}
