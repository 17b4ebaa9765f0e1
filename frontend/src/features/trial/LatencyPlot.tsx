// Cumulative latencies on a logarithmic axis, with a label at the end of each line.
import { dashOf, LineKey } from "../../shared/chart/points/LineKey";
import { formatLatency, seconds, shortened } from "../../shared/units";
import { decadesOf, type LatencyLine } from "./latencies";
import classes from "./LatencyPlot.module.css";
import strokes from "../../shared/chart/points/lines.module.css";

const WIDTH = 640;
const HEIGHT = 260;

/** Returns the path of a line, in steps, on a drawing of that size. */
export function pathOf(
  line: LatencyLine,
  [first, last]: readonly [number, number],
  width: number,
  height: number,
): string {
  const x = (us: number) => ((Math.log10(Math.max(us, 10 ** first)) - first) / (last - first)) * width;
  const parts = line.points.map(({ us, share }, index) => {
    const [at, level] = [x(us).toFixed(1), (height * (1 - share)).toFixed(1)];
    return index === 0 ? `M0 ${height}H${at}V${level}` : `H${at}V${level}`;
  });
  return `${parts.join("")}H${width}`;
}

export function LatencyPlot({ lines }: { lines: readonly LatencyLine[] }) {
  const decades = decadesOf(lines);
  const [first, last] = decades;
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const summary = lines
    .map(
      ({ label, quantiles }) =>
        `${label}: median ${formatLatency(seconds((quantiles[0]?.us ?? 0) / 1e6)).text}`,
    )
    .join("; ");
  return (
    <div className={classes.plot}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {[0, 0.5, 0.9, 1].map((share) => (
          <line
            key={share}
            className={strokes.grid}
            x1={0}
            x2={WIDTH}
            y1={HEIGHT * (1 - share)}
            y2={HEIGHT * (1 - share)}
          />
        ))}
        {lines.map((line, index) => (
          <path
            key={line.label}
            className={strokes.line}
            data-base={line.isBase}
            strokeDasharray={dashOf(index)}
            d={pathOf(line, decades, WIDTH, HEIGHT)}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <div className={classes.levels} aria-hidden>
        {[0.5, 0.9].map((share) => (
          <span key={share} style={{ top: `${(1 - share) * 100}%` }}>
            {share * 100} %
          </span>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        {ticks.map((decade) => (
          <span key={decade} style={{ left: `${((decade - first) / (last - first)) * 100}%` }}>
            {shortened(formatLatency(seconds(10 ** decade / 1e6)))}
          </span>
        ))}
      </div>
      <LineKey lines={lines} />
    </div>
  );
}
