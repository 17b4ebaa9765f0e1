// Lines through means, with the 95 % interval of each.
import { ticksOf } from "../bars/bars";
import { dashOf, LineKey } from "./LineKey";
import classes from "./PointPlot.module.css";
import strokes from "./lines.module.css";
import {
  dotsOf,
  drawingOf,
  extentOf,
  intervalsOf,
  labelledPlaces,
  lastOf,
  pathThrough,
  type PointLine,
} from "./points";

const WIDTH = 640;
const HEIGHT = 240;
const LEAST_GAP = 0.12;

interface Props {
  lines: readonly PointLine[];
  /** The unit of the horizontal axis. */
  x: string;
  tick: (value: number) => string;
}

export function PointPlot({ lines, x, tick }: Props) {
  const extent = extentOf(lines);
  const drawing = drawingOf(extent, WIDTH, HEIGHT);
  const ticks = ticksOf(extent.top);
  return (
    <div className={classes.plot}>
      <div className={classes.levels} aria-hidden>
        {ticks.map((value) => (
          <span key={value} style={{ top: `${(drawing.y(value) / HEIGHT) * 100}%` }}>
            {tick(value)}
          </span>
        ))}
      </div>
      <div className={classes.drawing}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={lastOf(lines, tick)}
        >
          {ticks.map((value) => (
            <line
              key={value}
              className={strokes.grid}
              x1={0}
              x2={WIDTH}
              y1={drawing.y(value)}
              y2={drawing.y(value)}
            />
          ))}
          {lines.map((line, index) => (
            <g key={line.label} className={strokes.line} data-base={line.isBase}>
              <path
                d={pathThrough(line, drawing)}
                strokeDasharray={dashOf(index)}
                vectorEffect="non-scaling-stroke"
              />
              <path className={classes.dots} d={dotsOf(line, drawing)} vectorEffect="non-scaling-stroke" />
              <path
                className={classes.interval}
                d={intervalsOf(line, drawing)}
                vectorEffect="non-scaling-stroke"
              />
            </g>
          ))}
        </svg>
        <div className={classes.axis} aria-hidden>
          {labelledPlaces(lines, LEAST_GAP).map((at) => (
            <span
              key={at}
              data-edge={at === extent.from ? "left" : at === extent.to ? "right" : undefined}
              style={{ left: `${(drawing.x(at) / WIDTH) * 100}%` }}
            >
              {at.toLocaleString("en-GB")}
            </span>
          ))}
        </div>
        <p className={classes.unit} aria-hidden>
          {x}
        </p>
      </div>
      <div className={classes.below}>
        <LineKey lines={lines} />
      </div>
    </div>
  );
}
