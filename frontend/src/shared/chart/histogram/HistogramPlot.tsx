// The plot of a histogram: observed as bars, target as a step line over them, at any size.
import { useState } from "react";
import { formatEdge, formatFraction, fraction } from "../../units";
import {
  barsOf,
  ceilingOf,
  EXTENT,
  summaryOf,
  targetPath,
  type Axis,
  type Bin,
  type WindowState,
} from "./histogram";
import type { BinAxis } from "./axis";
import { AxisLabels, percent } from "./AxisLabels";
import classes from "./HistogramPlot.module.css";
import { useBinAxis } from "./useBinAxis";

interface DrawingProps {
  bins: readonly Bin[];
  axis: BinAxis;
  ceiling: number;
}

function Drawing({ bins, axis, ceiling }: DrawingProps) {
  const path = targetPath(bins, axis, ceiling);
  // A target without observed values is filled with its own colour, so that its shape is visible.
  const isPlain = bins.every((bin) => bin.observed_fraction === null && bin.target_fraction !== null);
  return (
    <svg
      className={classes.drawing}
      viewBox={`0 0 ${EXTENT} ${EXTENT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {barsOf(bins, axis, ceiling).map((bar, index) => (
        <rect key={index} className={classes.observed} {...bar} />
      ))}
      {isPlain && path !== "" && <path className={classes.wash} d={`${path}V${EXTENT}H0Z`} />}
      <path className={classes.target} d={path} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** A small plot for a card, without axes or text; its summary is its label. */
export function HistogramSparkline({
  axis,
  bins,
  label,
}: {
  axis: Axis;
  bins: readonly Bin[];
  label: string;
}) {
  return (
    <div className={classes.sparkline} role="img" aria-label={`${label}: ${summaryOf(axis, bins)}`}>
      <Drawing bins={bins} axis={useBinAxis(axis, bins)} ceiling={ceilingOf(bins)} />
    </div>
  );
}

function Reading({ axis, bin, window }: { axis: Axis; bin: Bin; window: WindowState | undefined }) {
  const share = (value: number) => formatFraction(fraction(value)).text;
  return (
    <span className={classes.reading} aria-hidden>
      {formatEdge(axis, bin.edge)}
      {bin.observed_fraction !== null && <> · observed {share(bin.observed_fraction)}</>}
      {bin.target_fraction !== null && <> · target {share(bin.target_fraction)}</>}
      {window !== undefined && <> · {window}</>}
    </span>
  );
}

/** The key of the windows' marks. */
export function WindowsKey() {
  return (
    <span className={classes.key} aria-hidden>
      {(["closed", "filling", "future"] as const).map((state) => (
        <span key={state}>
          <i className={classes[state]} /> {state}
        </span>
      ))}
    </span>
  );
}

export function HistogramPlot({
  axis,
  bins,
  ticks = 6,
  ceiling = ceilingOf(bins),
  windows,
}: {
  axis: Axis;
  bins: readonly Bin[];
  ticks?: number;
  ceiling?: number;
  windows?: readonly WindowState[] | undefined;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const binAxis = useBinAxis(axis, bins, ticks);
  const placeOf = (index: number) => {
    const { left, width } = binAxis.cells[index] ?? { left: 0, width: 0 };
    return { left: percent(left), width: percent(width) };
  };
  const bin = pointed === null ? undefined : bins[pointed];
  return (
    <div className={classes.plot}>
      <div className={classes.frame}>
        <span className={classes.ceiling} aria-hidden>
          {formatFraction(fraction(ceiling)).text}
        </span>
        <div className={classes.area} role="img" aria-label={summaryOf(axis, bins, windows)}>
          <Drawing bins={bins} axis={binAxis} ceiling={ceiling} />
          <div className={classes.columns} onPointerLeave={() => setPointed(null)}>
            {bins.map((_, index) => (
              <span
                key={index}
                className={classes.column}
                style={placeOf(index)}
                onPointerEnter={() => setPointed(index)}
              />
            ))}
          </div>
        </div>
        {bin !== undefined && <Reading axis={axis} bin={bin} window={windows?.[pointed ?? 0]} />}
      </div>
      {windows !== undefined && (
        <div className={classes.windows} aria-hidden>
          {windows.map((state, index) => (
            <span key={index} className={classes[state]} style={placeOf(index)} />
          ))}
        </div>
      )}
      <AxisLabels axis={binAxis} />
    </div>
  );
}
