// The labels below an axis, kept inside its ends and apart from each other.
import { useElementSize } from "@mantine/hooks";
import classes from "./AxisLabels.module.css";
import { isAtEnd, isAtStart, ticksApart, type BinAxis } from "./axis";

export const percent = (part: number) => `${Math.round(part * 1e5) / 1e3}%`;

export function AxisLabels({ axis }: { axis: BinAxis }) {
  const { ref, width } = useElementSize();
  // 0 until it is measured.
  const ticks = width === 0 ? axis.ticks : ticksApart(axis.ticks, width);
  return (
    <div ref={ref} className={classes.axis} data-axis aria-hidden>
      {ticks.map(({ at, label }) => (
        <span
          key={label}
          style={{ left: percent(at) }}
          data-end={isAtEnd(at) || undefined}
          data-start={isAtStart(at) || undefined}
        >
          {label}
        </span>
      ))}
    </div>
  );
}
