// Curves over operations or time: one plot per quantity, with all runs in it.
import { useMemo, useState } from "react";
import { smoothed, spanOf, type Curve } from "../../../shared/chart/lines/curves";
import { LinesFigure, type Line } from "../../../shared/chart/lines/LinesFigure";
import { PlotGroup, useChosenAxis, usePlotGroup } from "../../../shared/chart/lines/PlotGroup";
import { amounts, paces, shares } from "../../../shared/chart/lines/quantities";
import type { LineSpec } from "../../../shared/chart/lines/drawing";
import { axisOf, paceOf, smoothingOf, type Series } from "../live/series";
import { freeExtentsOf } from "./freeExtents";
import { levelsOf, type Compared } from "./compared";
import { budgetMark, floorMark, targetMark } from "./marks";

const HEIGHT = 260;
const fromZero = [0] as const;

interface CurveProps {
  runs: readonly Compared[];
}

/** Drops values that a logarithmic axis cannot show. */
const aboveZero = (values: Curve["y"]) => values.map((value) => (value !== null && value > 0 ? value : null));

type CurveOf = (series: Series, x: readonly number[]) => Curve;

const ofAges: CurveOf = (series, x) => ({ x, y: aboveZero(series.age_rmse) });
const ofFullness: CurveOf = (series, x) => ({ x, y: series.fullness });
const ofPace: CurveOf = (series, x) => smoothed({ x, y: paceOf(series) }, smoothingOf(series));

/** Returns a curve of each run over the axis of the plots; a run without new samples keeps its curve. */
function useCurves(runs: readonly Compared[], curveOf: CurveOf): readonly Curve[] {
  const { over } = usePlotGroup();
  const [known] = useState(() => new WeakMap<readonly number[], Curve>());
  return useMemo(
    () =>
      runs.map(({ telemetry: { series } }) => {
        const x = axisOf(series, over);
        const curve = known.get(x) ?? curveOf(series, x);
        known.set(x, curve);
        return curve;
      }),
    [runs, over, known, curveOf],
  );
}

/** Returns the lines of the runs in their order, then the reference levels. */
function linesOf(
  runs: readonly Compared[],
  curves: readonly Curve[],
  levels: { lines: readonly LineSpec[]; curves: readonly Curve[] }[] = [],
): Line[] {
  const nothing: Curve = { x: [], y: [] };
  return [
    ...runs.map(({ label, mark }, index) => ({ label, ...mark, curve: curves[index] ?? nothing })),
    ...levels.flatMap(({ lines, curves: ofLevels }) =>
      lines.map((line, index) => ({ ...line, curve: ofLevels[index] ?? nothing })),
    ),
  ];
}

function AccuracyCurve({ runs }: CurveProps) {
  const curves = useCurves(runs, ofAges);
  const lines = useMemo(() => {
    const floors = runs.map(({ label, telemetry }) => ({ label, value: telemetry.plan?.rmse_floor ?? null }));
    const budgets = runs.map(({ run, label }) => ({ label, value: run.max_rmse }));
    return linesOf(runs, curves, [
      levelsOf("best possible", floorMark, floors, curves),
      levelsOf("budget", budgetMark, budgets, curves),
    ]);
  }, [runs, curves]);
  return (
    <LinesFigure
      title="RMSE of the ages"
      unit="logarithmic, beside the best possible"
      lines={lines}
      quantity={shares}
      height={HEIGHT}
      isLogarithmic
    />
  );
}

function FullnessCurve({ runs }: CurveProps) {
  const curves = useCurves(runs, ofFullness);
  const lines = useMemo(() => {
    const targets = runs.map(({ run, label }) => ({ label, value: run.fullness }));
    return linesOf(runs, curves, [levelsOf("target", targetMark, targets, curves)]);
  }, [runs, curves]);
  const include = runs.flatMap(({ run: { fullness } }) =>
    fullness === null ? [] : [fullness - 0.02, fullness + 0.02],
  );
  return (
    <LinesFigure
      title="Fullness"
      unit="of capacity, by the model"
      lines={lines}
      quantity={shares}
      height={HEIGHT}
      include={include}
    />
  );
}

function PaceCurve({ runs }: CurveProps) {
  const curves = useCurves(runs, ofPace);
  return (
    <LinesFigure
      title="Pace"
      unit="operations a second, smoothed"
      lines={linesOf(runs, curves)}
      quantity={paces}
      height={HEIGHT}
      include={fromZero}
    />
  );
}

function FreeExtentsCurve({ runs }: CurveProps) {
  const { over } = usePlotGroup();
  const curves = useMemo(() => runs.map(({ telemetry }) => freeExtentsOf(telemetry, over)), [runs, over]);
  return (
    <LinesFigure
      title="Free extents"
      unit="number of extents in the free space"
      lines={linesOf(runs, curves)}
      quantity={amounts}
      height={HEIGHT}
      include={fromZero}
    />
  );
}

export function CompareCurves({ runs }: CurveProps) {
  const { over, choose } = useChosenAxis();
  const spans = runs.map(({ telemetry: { series } }) => ({ x: axisOf(series, over), y: [] }));
  return (
    <PlotGroup title={`Over ${over}`} over={over} all={spanOf(spans)} onChoose={choose}>
      <div className="patina-halves">
        <AccuracyCurve runs={runs} />
        <FullnessCurve runs={runs} />
        <PaceCurve runs={runs} />
        <FreeExtentsCurve runs={runs} />
      </div>
    </PlotGroup>
  );
}
