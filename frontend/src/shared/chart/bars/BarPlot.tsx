// Bars of means with 95 % intervals and the single values, in groups, from left to right.
import { endOf, placeOf, summaryOf, ticksOf, type Bar, type BarGroup } from "./bars";
import classes from "./BarPlot.module.css";

function Interval({ bar, end }: { bar: Bar; end: number }) {
  if (bar.low === null || bar.high === null) return null;
  const from = placeOf(bar.low, end);
  return (
    <i
      className={classes.interval}
      style={{ left: `${from}%`, width: `${placeOf(bar.high, end) - from}%` }}
    />
  );
}

function Row({ bar, end, order }: { bar: Bar; end: number; order: number }) {
  return (
    <div className={classes.row}>
      <span className={classes.label}>
        {bar.label}
        {bar.note !== undefined && <small> {bar.note}</small>}
      </span>
      <span className={classes.track}>
        <i
          className={classes.bar}
          data-order={bar.isBase ? "base" : (bar.order ?? order)}
          style={{ width: `${placeOf(bar.mean, end)}%` }}
        />
        <Interval bar={bar} end={end} />
        {bar.points.map((point, index) => (
          <i
            key={index}
            className={classes.point}
            data-outlier={bar.outliers.includes(index)}
            style={{ left: `${placeOf(point, end)}%` }}
          />
        ))}
      </span>
      <span className={classes.value} title={bar.exact}>
        {bar.text}
      </span>
    </div>
  );
}

interface Props {
  groups: readonly BarGroup[];
  /** Formats a tick of the axis. */
  tick: (value: number) => string;
  /** A line across all bars, such as 1 for ratios. */
  reference?: number;
}

export function BarPlot({ groups, tick, reference }: Props) {
  const end = endOf(groups);
  return (
    <div className={classes.plot} role="img" aria-label={summaryOf(groups)}>
      {groups.map(({ label, bars }) => (
        <div key={label} className={classes.group}>
          <strong className={classes.heading}>{label}</strong>
          {bars.map((bar, index) => (
            <Row key={bar.label} bar={bar} end={end} order={index} />
          ))}
        </div>
      ))}
      <div className={classes.axis} aria-hidden>
        <span className={classes.ticks}>
          {ticksOf(end).map((value) => (
            <span key={value} style={{ left: `${placeOf(value, end)}%` }}>
              {tick(value)}
            </span>
          ))}
          {reference !== undefined && (
            <i className={classes.reference} style={{ left: `${placeOf(reference, end)}%` }} />
          )}
        </span>
      </div>
    </div>
  );
}
