// Accuracy, fullness and pace over operations or time.
import { useMemo } from "react";
import { endingIn, level, smoothed, spanOf, type Curve } from "../../../shared/chart/lines/curves";
import type { PlotMark } from "../../../shared/chart/lines/drawing";
import { LinesFigure, type Line } from "../../../shared/chart/lines/LinesFigure";
import { PlotGroup, useChosenAxis, usePlotGroup, type Over } from "../../../shared/chart/lines/PlotGroup";
import { paces, shares } from "../../../shared/chart/lines/quantities";
import { formatFraction, fraction } from "../../../shared/units";
import type { AgeSummary, Plan } from "../../../api/client";
import { offPlan, plannedRmse } from "./plan";
import type { Mark } from "../live/facts";
import { axisOf, paceOf, smoothingOf, type Series } from "../live/series";
import type { Telemetry } from "../live/telemetry";

export const PLOT_HEIGHT = 240;
const fromZero = [0] as const;
const aHundredth = [0, 0.01] as const;

/** Returns the column over the axis of the plots. */
function useCurve(series: Series, y: Curve["y"]): Curve {
  const { over } = usePlotGroup();
  return useMemo(() => ({ x: axisOf(series, over), y }), [series, over, y]);
}

interface AccuracyProps {
  series: Series;
  plan: Plan | null;
  /** The age RMSE that ends the run; null when only the plan ends it. */
  budget: number | null;
  marks?: readonly PlotMark[];
}

function wordsOfPlan(series: Series, plan: Plan | null): string | null {
  const [ops_count, measured] = [series.ops_count.at(-1), series.age_rmse.at(-1)];
  if (plan === null || ops_count === undefined || measured == null) return null;
  const off = offPlan(plan, ops_count, measured);
  if (off === null) return null;
  if (off === 0) return "age on plan";
  return `age ${formatFraction(fraction(Math.abs(off))).text} ${off > 0 ? "above" : "below"} plan`;
}

/** Drops values that a logarithmic axis cannot show. */
const aboveZero = (values: Curve["y"]) => values.map((value) => (value !== null && value > 0 ? value : null));

export function AccuracyCurve({ series, plan, budget, marks }: AccuracyProps) {
  const age = useCurve(
    series,
    useMemo(() => aboveZero(series.age_rmse), [series]),
  );
  const size = useCurve(
    series,
    useMemo(() => aboveZero(series.size_rmse), [series]),
  );
  const depth = useCurve(
    series,
    useMemo(() => aboveZero(series.depth_rmse), [series]),
  );
  const planned = useCurve(
    series,
    useMemo(() => (plan === null ? [] : plannedRmse(plan, series.ops_count)), [plan, series]),
  );
  const lines = useMemo<Line[]>(() => {
    const isPlanned = (plan?.planned_rmse.length ?? 0) > 0;
    const floor = level(plan?.rmse_floor ?? null, [age]);
    return [
      { label: "age", ink: "series-1", width: 2, curve: age },
      { label: "size", ink: "series-2", dash: [8, 4], curve: size },
      { label: "depth", ink: "series-3", dash: [2, 3], curve: depth },
      { label: "best possible", ink: "quiet", dash: [1, 4], width: 2, curve: floor },
      // In dashes: the age lies on its plan. The plan may end at zero, where a logarithmic axis has no end.
      ...(isPlanned
        ? [
            {
              label: "age by plan",
              ink: "target",
              width: 2,
              dash: [3, 6],
              isUnbounded: true,
              curve: planned,
            } as const,
          ]
        : []),
      ...(budget === null
        ? []
        : [{ label: "budget", ink: "target", dash: [6, 3], curve: level(budget, [age]) } as const]),
    ];
  }, [age, size, depth, planned, plan, budget]);
  return (
    <LinesFigure
      title="RMSE"
      unit="logarithmic"
      lines={lines}
      quantity={shares}
      height={PLOT_HEIGHT}
      now={wordsOfPlan(series, plan)}
      isLogarithmic
      {...(marks && { marks })}
    />
  );
}

/** Returns the place of an ended run's results. */
function endOf({ elapsed_s, ops_count }: AgeSummary, over: Over): number {
  return over === "time" ? elapsed_s : ops_count;
}

interface FullnessProps {
  series: Series;
  target: number | null;
  /** The curves of an ended run end in its results. */
  summary?: AgeSummary | null;
  marks?: readonly PlotMark[];
}

/** The model counts the files' data; statfs includes the file system's own use. A simulation has no statfs. */
export function FullnessCurve({ series, target, summary = null, marks }: FullnessProps) {
  const sampled = useCurve(series, series.fullness_statfs);
  const planned = useCurve(series, series.fullness);
  const { over } = usePlotGroup();
  const [measured, files] = useMemo(() => {
    if (summary === null) return [sampled, planned];
    const x = endOf(summary, over);
    return [
      endingIn(sampled, { x, y: summary.fullness_statfs }),
      endingIn(planned, { x, y: summary.fullness }),
    ];
  }, [sampled, planned, summary, over]);
  const isMeasured = useMemo(
    () => series.fullness_statfs.some((fullness) => fullness !== null),
    [series.fullness_statfs],
  );
  const lines: Line[] = [
    ...(isMeasured ? [{ label: "measured", ink: "observed", width: 2, curve: measured } as const] : []),
    { label: "files", ink: "quiet", dash: [6, 4], curve: files },
    ...(target === null ? [] : [{ label: "target", ink: "target", curve: level(target, [files]) } as const]),
  ];
  return (
    <LinesFigure
      title="Fullness"
      unit="of capacity"
      lines={lines}
      quantity={shares}
      height={PLOT_HEIGHT}
      {...(target !== null && { include: [target - 0.02, target + 0.02] })}
      {...(marks && { marks })}
    />
  );
}

interface CurveProps {
  series: Series;
  marks: readonly PlotMark[];
}

/** The lag curve; absent where the file system reports none. */
function LagCurve({ series, marks }: CurveProps) {
  const reuse = useCurve(series, series.reuse_lag);
  const allocation = useCurve(series, series.allocation_lag);
  // Reserves the place before the first sample, so that the next plots do not move.
  if (series.reuse_lag.length > 0 && series.reuse_lag.every((lag) => lag === null)) return null;
  return (
    <LinesFigure
      title="Lag"
      unit="of the planned free space"
      lines={[
        { label: "not reusable", ink: "observed", width: 2, curve: reuse },
        { label: "not allocated", ink: "quiet", dash: [6, 4], curve: allocation },
      ]}
      quantity={shares}
      height={PLOT_HEIGHT}
      include={aHundredth}
      marks={marks}
    />
  );
}

function PaceCurve({ series, marks }: CurveProps) {
  const pace = useCurve(
    series,
    useMemo(() => paceOf(series), [series]),
  );
  const mean = useMemo(() => smoothed(pace, smoothingOf(series)), [pace, series]);
  return (
    <LinesFigure
      title="Pace"
      unit="operations a second"
      lines={[
        { label: "each sample", ink: "quiet", width: 0.75, curve: pace },
        { label: "smoothed", ink: "observed", width: 2, curve: mean },
      ]}
      quantity={paces}
      height={PLOT_HEIGHT}
      include={fromZero}
      marks={marks}
    />
  );
}

function placed(marks: readonly Mark[], over: "operations" | "time"): PlotMark[] {
  return marks.map(({ kind, ops_count, elapsed_s }) => ({
    at: over === "time" ? elapsed_s : ops_count,
    label: kind,
  }));
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
  const { over, choose } = useChosenAxis();
  const end = telemetry.summary === null ? [] : [endOf(telemetry.summary, over)];
  const marks = useMemo(() => placed(telemetry.marks, over), [telemetry.marks, over]);
  return (
    <PlotGroup
      title={`Over ${over}`}
      over={over}
      all={spanOf([
        { x: axisOf(series, over), y: [] },
        { x: end, y: [] },
      ])}
      onChoose={choose}
      aside={<span>{samples_count === 1 ? "1 sample" : `${samples_count} samples`}</span>}
    >
      <div className="patina-charts">
        {isPlanned && <AccuracyCurve series={series} plan={plan} budget={budget} marks={marks} />}
        <FullnessCurve series={series} target={target} summary={telemetry.summary} marks={marks} />
        <LagCurve series={series} marks={marks} />
        <PaceCurve series={series} marks={marks} />
      </div>
    </PlotGroup>
  );
}
