// The key of a plot: each line's stroke, name and value, always in the same order and of the same height.
import type { LineSpec } from "./drawing";
import classes from "./Readings.module.css";

const WIDTH = 24;

/** A line in the style of a plot. */
export function Stroke({
  line: { ink, width = 1.5, dash },
}: {
  line: Pick<LineSpec, "ink" | "width" | "dash">;
}) {
  return (
    <svg width={WIDTH} height={8} aria-hidden style={{ flex: "none" }}>
      <path
        d={`M0 4H${WIDTH}`}
        fill="none"
        stroke={`var(--patina-${ink})`}
        strokeWidth={width}
        strokeDasharray={dash?.join(" ")}
      />
    </svg>
  );
}

interface Props {
  lines: readonly LineSpec[];
  values: readonly (string | null)[];
  /** Where the values are: "Newest sample" or "at 12 k". */
  place: string;
}

export function Readings({ lines, values, place }: Props) {
  return (
    <div className={classes.key}>
      <span className={classes.place}>{place}</span>
      <ul>
        {lines.map((line, index) => (
          <li key={line.label}>
            <Stroke line={line} />
            <span>{line.label}</span> <strong>{values[index] ?? "–"}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}
