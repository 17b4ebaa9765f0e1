// Accuracy, fullness and pace over operations.
import { useMemo, useState } from "react";
import { Figure, type ChartTable } from "../../../shared/chart/Figure";
import { LivePlot, plotHelp, type Columns, type LineSpec } from "../../../shared/chart/lines/LivePlot";
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
import type { Plan } from "../../../api/client";
import { offPlan, plannedRmse } from "./plan";
import type { Series, Telemetry } from "../live/telemetry";

const HEIGHT = 240;

type Format = (value: number) => Formatted;
const ops = (value: number) => shortened(formatCount(count(value)));
const percent = (value: number) => formatFraction(fraction(value));
const pace = (value: number) => formatOpsPerSecond(opsPerSecond(value));

const accuracyLines: readonly LineSpec[] = [
  { label: "age", ink: "observed", width: 2 },
  { label: "size", ink: "observed", dash: [8, 4] },
  { label: "depth", ink: "observed", dash: [2, 3] },
  { label: "integer floor", ink: "quiet", dash: [1, 4], width: 2 },
];
const planLine: LineSpec = { label: "age by plan", ink: "target" };
const budgetLine: LineSpec = { label: "budget", ink: "target", dash: [6, 3] };
const measuredFullness: LineSpec = { label: "measured", ink: "observed", width: 2 };
const filesFullness: LineSpec = { label: "files", ink: "quiet", dash: [6, 4] };
const fullnessTarget: LineSpec = { label: "target", ink: "target" };
const lagLines: readonly LineSpec[] = [
  { label: "not reusable", ink: "observed", width: 2 },
  { label: "not allocated", ink: "quiet", dash: [6, 4] },
];
const paceLines: readonly LineSpec[] = [{ label: "pace", ink: "observed", width: 2 }];

function tableOf(columns: Columns, x_name: string, names: readonly string[], format: Format): ChartTable {
  const [x, ...ys] = columns;
  const stride = Math.max(1, Math.ceil(x.length / 200));
  const rows = x.flatMap((value, index) => {
    if (index % stride !== 0 && index !== x.length - 1) return [];
    return [[ops(value), ...ys.map((y) => (y[index] == null ? "–" : format(y[index]).text))]];
  });
  return { columns: [x_name.charAt(0).toUpperCase() + x_name.slice(1), ...names], rows };
}

/** Drops values that a logarithmic axis cannot show. */
const aboveZero = (values: readonly (number | null)[]) =>
  values.map((value) => (value !== null && value > 0 ? value : null));

interface CurveProps {
  title: string;
  unit: string;
  /** The unit of the horizontal axis. */
  x?: "operations" | "rounds";
  lines: readonly LineSpec[];
  columns: Columns;
  format: Format;
  isLogarithmic?: boolean;
  /** The meaning of the newest values. */
  now?: string | null;
  include?: readonly number[];
}

export function Curve({
  title,
  unit,
  x = "operations",
  lines,
  columns,
  format,
  now = null,
  ...rest
}: CurveProps) {
  const saidAt = (row: number) =>
    lines.flatMap((line, index) => {
      const value = columns[index + 1]?.at(row);
      return value == null ? [] : [`${line.label} ${format(value).text}`];
    });
  const [row, setRow] = useState<number | null>(null);
  const pointed = row === null ? undefined : columns[0][row];
  const drawn = {
    title: `${title} over ${x}`,
    x,
    lines,
    columns,
    isLogarithmic: rest.isLogarithmic ?? false,
    formatX: ops,
    formatY: (value: number) => shortened(format(value)),
  };
  return (
    <Figure
      title={title}
      unit={unit}
      aside={pointed === undefined ? now : `at ${ops(pointed)}: ${saidAt(row ?? 0).join(", ")}`}
      saved={savedLines(drawn)}
      table={() =>
        tableOf(
          columns,
          x,
          lines.map(({ label }) => label),
          format,
        )
      }
    >
      <LivePlot
        lines={lines}
        columns={columns}
        height={HEIGHT}
        formatX={ops}
        formatY={(value) => shortened(format(value))}
        label={`${title} over ${x}, now: ${saidAt(-1).join(", ") || "no sample yet"}`}
        onPoint={setRow}
        {...rest}
      />
    </Figure>
  );
}

interface AccuracyProps {
  series: Series;
  plan: Plan | null;
  /** The age RMSE that ends the run; null when only the plan ends it. */
  budget: number | null;
}

function wordsOfPlan(series: Series, plan: Plan | null): string | null {
  const [ops_count, measured] = [series.ops_count.at(-1), series.rmse.age.at(-1)];
  if (plan === null || ops_count === undefined || measured == null) return null;
  const off = offPlan(plan, ops_count, measured);
  if (off === null) return null;
  if (off === 0) return "age on plan";
  return `age ${formatFraction(fraction(Math.abs(off))).text} ${off > 0 ? "above" : "below"} plan`;
}

export function AccuracyCurve({ series, plan, budget }: AccuracyProps) {
  const hasBudget = budget !== null;
  const isPlanned = (plan?.planned_rmse.length ?? 0) > 0;
  const lines = useMemo(
    () => [...accuracyLines, ...(isPlanned ? [planLine] : []), ...(hasBudget ? [budgetLine] : [])],
    [hasBudget, isPlanned],
  );
  const columns = useMemo<Columns>(
    () => [
      series.ops_count,
      aboveZero(series.rmse.age),
      aboveZero(series.rmse.size),
      aboveZero(series.rmse.depth),
      series.ops_count.map(() => plan?.rmse_floor ?? null),
      ...(plan !== null && isPlanned
        ? [series.ops_count.map((ops_count) => plannedRmse(plan, ops_count))]
        : []),
      ...(hasBudget ? [series.ops_count.map(() => budget)] : []),
    ],
    [series, plan, isPlanned, budget, hasBudget],
  );
  return (
    <Curve
      key={lines.length} // a plot is made for the lines that it has
      title="RMSE"
      unit="logarithmic"
      lines={lines}
      columns={columns}
      format={percent}
      now={wordsOfPlan(series, plan)}
      isLogarithmic
    />
  );
}

/** The model counts the files' data; statfs includes the file system's own use. A simulation has no statfs. */
export function FullnessCurve({ series, target }: { series: Series; target: number | null }) {
  const isMeasured = series.fullness_statfs.some((fullness) => fullness !== null);
  const hasTarget = target !== null;
  const lines = useMemo(
    () => [...(isMeasured ? [measuredFullness] : []), filesFullness, ...(hasTarget ? [fullnessTarget] : [])],
    [isMeasured, hasTarget],
  );
  const columns = useMemo<Columns>(
    () => [
      series.ops_count,
      ...(isMeasured ? [series.fullness_statfs] : []),
      series.fullness,
      ...(target === null ? [] : [series.ops_count.map(() => target)]),
    ],
    [series, isMeasured, target],
  );
  return (
    <Curve
      key={lines.length} // a plot is made for the lines that it has
      title="Fullness"
      unit="of capacity"
      lines={lines}
      columns={columns}
      format={percent}
      {...(target !== null && { include: [target - 0.02, target + 0.02] })}
    />
  );
}

/** The lag curve; absent where the file system reports none. */
function LagCurve({ series }: { series: Series }) {
  const columns = useMemo<Columns>(
    () => [series.ops_count, series.reuse_lag, series.allocation_lag],
    [series],
  );
  // Reserves the place before the first sample, so that the next plots do not move.
  if (series.reuse_lag.length > 0 && series.reuse_lag.every((lag) => lag === null)) return null;
  return (
    <Curve
      title="Lag"
      unit="of the planned free space"
      lines={lagLines}
      columns={columns}
      format={percent}
      include={[0, 0.01]}
    />
  );
}

interface Props {
  telemetry: Telemetry;
  target: number | null;
  /** False for a workload, which has no target histograms and hence no accuracy. */
  isPlanned: boolean;
  budget: number | null;
}

export function RunCurves({ telemetry, target, isPlanned, budget }: Props) {
  const { series, plan, samples_count } = telemetry;
  const speed = useMemo<Columns>(() => [series.ops_count, series.ops_per_s], [series]);
  return (
    <section aria-labelledby="curves">
      <div className="patina-section">
        <h2 id="curves">Over operations</h2>
        <span className="patina-mouse">{plotHelp}</span>
        <span>{samples_count === 1 ? "1 sample" : `${samples_count} samples`}</span>
      </div>
      <div className="patina-charts">
        {isPlanned && <AccuracyCurve series={series} plan={plan} budget={budget} />}
        <FullnessCurve series={series} target={target} />
        <LagCurve series={series} />
        <Curve
          title="Pace"
          unit="operations a second"
          lines={paceLines}
          columns={speed}
          format={pace}
          include={[0]}
        />
      </div>
    </section>
  );
}
