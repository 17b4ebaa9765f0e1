// Curves over operations: one plot per quantity, with all runs in it.
import { useMemo, useState } from "react";
import { Figure } from "../../../shared/chart/Figure";
import { LivePlot, plotHelp, type LineSpec } from "../../../shared/chart/lines/LivePlot";
import { savedLines } from "../../../shared/chart/lines/saveLines";
import {
  count,
  formatCount,
  formatFraction,
  formatOpsPerSecond,
  fraction,
  opsPerSecond,
  shortened,
  type Formatted,
} from "../../../shared/units";
import { freeExtentsOf, lastKnown, newest, together, type Curve } from "./columns";
import classes from "./CompareCurves.module.css";
import { levelsOf, type Compared } from "./compared";
import { budgetMark, floorMark, targetMark } from "./marks";
import { Stroke } from "./Stroke";

const HEIGHT = 260;
const TABLE_ROWS = 200;

const ops = (value: number) => shortened(formatCount(count(value)));
const amount = (value: number) => formatCount(count(value));
const percent = (value: number) => formatFraction(fraction(value));
const pace = (value: number) => formatOpsPerSecond(opsPerSecond(value));

interface CurveProps {
  title: string;
  unit: string;
  runs: readonly Compared[];
  curves: readonly Curve[];
  /** The reference levels of the runs. */
  levels?: { lines: readonly LineSpec[]; curves: readonly Curve[] };
  format: (value: number) => Formatted;
  isLogarithmic?: boolean;
  include?: readonly number[];
}

const nothing = { lines: [], curves: [] } as const;

/** The value of each run under the pointer, or the newest; always shown, so that the layout does not move. */
function Readings({ runs, said }: { runs: readonly Compared[]; said: readonly (string | null)[] }) {
  return (
    <ul className={classes.readings}>
      {runs.map(({ run, mark, label }, index) => (
        <li key={run.id}>
          <Stroke mark={mark} />
          <span>{label}</span> <strong>{said[index] ?? "–"}</strong>
        </li>
      ))}
    </ul>
  );
}

function CompareCurve(props: CurveProps) {
  const { title, unit, runs, curves, levels = nothing, format, isLogarithmic = false } = props;
  const [row, setRow] = useState<number | null>(null);
  const columns = useMemo(() => together([...curves, ...levels.curves]), [curves, levels]);
  const lines: LineSpec[] = [...runs.map(({ label, mark }) => ({ label, ...mark })), ...levels.lines];
  const [xs, ...ys] = columns;
  const x = row === null ? undefined : xs[row];
  const words = (value: number | null) => (value === null ? null : format(value).text);
  const saidAt = (at: number) => runs.map((_, index) => words(lastKnown(ys[index] ?? [], at)));
  const now = runs.map((_, index) => words(newest(ys[index] ?? [])));
  const formatY = (value: number) => shortened(format(value));
  const drawn = { title: `${title} over operations`, x: "operations", formatX: ops, formatY };
  const table = () => {
    const stride = Math.max(1, Math.ceil(xs.length / TABLE_ROWS));
    const shown = xs.map((_, at) => at).filter((at) => at % stride === 0 || at === xs.length - 1);
    return {
      columns: ["Operations", ...runs.map(({ label }) => label)],
      rows: shown.map((at) => [ops(xs[at] ?? 0), ...saidAt(at).map((said) => said ?? "–")]),
    };
  };
  return (
    <Figure
      title={title}
      unit={unit}
      aside={x !== undefined && `at ${ops(x)} operations`}
      saved={savedLines({ ...drawn, lines, columns, isLogarithmic })}
      table={table}
    >
      <LivePlot
        key={lines.map(({ label }) => label).join()}
        lines={lines}
        columns={columns}
        height={HEIGHT}
        isLogarithmic={isLogarithmic}
        {...(props.include && { include: props.include })}
        formatX={ops}
        formatY={formatY}
        label={`${title} over operations, now: ${runs.map(({ label }, index) => `${label} ${now[index] ?? "no sample yet"}`).join(", ")}`}
        onPoint={setRow}
      />
      <Readings runs={runs} said={x === undefined ? now : saidAt(row ?? 0)} />
    </Figure>
  );
}

/** Drops values that a logarithmic axis cannot show. */
const aboveZero = (values: readonly (number | null)[]) =>
  values.map((value) => (value !== null && value > 0 ? value : null));

function AccuracyCurve({ runs }: { runs: readonly Compared[] }) {
  const curves = useMemo(
    () => runs.map(({ telemetry: { series } }) => ({ x: series.ops_count, y: aboveZero(series.rmse.age) })),
    [runs],
  );
  const levels = useMemo(() => {
    const floors = runs.map(({ label, telemetry }) => ({ label, value: telemetry.plan?.rmse_floor ?? null }));
    const budgets = runs.map(({ run, label }) => ({ label, value: run.max_rmse }));
    const [floor, budget] = [
      levelsOf("floor", floorMark, floors, curves),
      levelsOf("budget", budgetMark, budgets, curves),
    ];
    return { lines: [...floor.lines, ...budget.lines], curves: [...floor.curves, ...budget.curves] };
  }, [runs, curves]);
  return (
    <CompareCurve
      title="RMSE of the ages"
      unit="logarithmic, over the integer floor"
      runs={runs}
      curves={curves}
      levels={levels}
      format={percent}
      isLogarithmic
    />
  );
}

function FullnessCurve({ runs }: { runs: readonly Compared[] }) {
  const curves = useMemo(
    () => runs.map(({ telemetry: { series } }) => ({ x: series.ops_count, y: series.fullness })),
    [runs],
  );
  const levels = useMemo(() => {
    const targets = runs.map(({ run, label }) => ({ label, value: run.fullness }));
    return levelsOf("target", targetMark, targets, curves);
  }, [runs, curves]);
  const include = runs.flatMap(({ run: { fullness } }) =>
    fullness === null ? [] : [fullness - 0.02, fullness + 0.02],
  );
  return (
    <CompareCurve
      title="Fullness"
      unit="of capacity, by the model"
      runs={runs}
      curves={curves}
      levels={levels}
      format={percent}
      include={include}
    />
  );
}

function PaceCurve({ runs }: { runs: readonly Compared[] }) {
  const curves = useMemo(
    () => runs.map(({ telemetry: { series } }) => ({ x: series.ops_count, y: series.ops_per_s })),
    [runs],
  );
  return (
    <CompareCurve
      title="Pace"
      unit="operations a second"
      runs={runs}
      curves={curves}
      format={pace}
      include={[0]}
    />
  );
}

function FreeExtentsCurve({ runs }: { runs: readonly Compared[] }) {
  const curves = useMemo(() => runs.map(({ feed }) => freeExtentsOf(feed.journal)), [runs]);
  return (
    <CompareCurve
      title="Free extents"
      unit="number of extents in the free space"
      runs={runs}
      curves={curves}
      format={amount}
      include={[0]}
    />
  );
}

export function CompareCurves({ runs }: { runs: readonly Compared[] }) {
  return (
    <section aria-labelledby="curves">
      <div className="patina-section">
        <h2 id="curves">Over operations</h2>
        <span className="patina-mouse">{plotHelp}</span>
      </div>
      <div className="patina-halves">
        <AccuracyCurve runs={runs} />
        <FullnessCurve runs={runs} />
        <PaceCurve runs={runs} />
        <FreeExtentsCurve runs={runs} />
      </div>
    </section>
  );
}
