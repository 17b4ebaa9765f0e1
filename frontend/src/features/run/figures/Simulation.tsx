// A preview of a whole run by the model alone, made on demand.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, read, type ForecastCreate, type SimulationRead } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { count, formatCount, formatFraction, fraction } from "../../../shared/units";
import { AccuracyCurve, FullnessCurve } from "./RunCurves";
import { spanOf } from "../../../shared/chart/lines/curves";
import { PlotGroup } from "../../../shared/chart/lines/PlotGroup";
import { emptySeries, withSamples } from "../live/series";

function outcomeOf({ plan, summary, is_complete }: SimulationRead): string {
  const done = formatCount(count(summary.ops_count)).text;
  const rmse = formatFraction(fraction(summary.histograms?.age.rmse ?? 0)).text;
  if (is_complete) return `After ${done} operations the age RMSE would be ${rmse}.`;
  const all = formatCount(count(plan.horizon_ops_count)).text;
  return `Cut off after 15 s, at ${done} of ${all} operations, with an age RMSE of ${rmse}.`;
}

interface PreviewProps {
  simulation: SimulationRead;
  budget: number | null;
}

function Preview({ simulation, budget }: PreviewProps) {
  const series = useMemo(() => withSamples(emptySeries, simulation.samples), [simulation]);
  return (
    <>
      <p role="status">{outcomeOf(simulation)}</p>
      <PlotGroup title="Over operations" over="operations" all={spanOf([{ x: series.ops_count, y: [] }])}>
        <div className="patina-charts">
          <AccuracyCurve series={series} plan={simulation.plan} budget={budget} />
          <FullnessCurve series={series} target={simulation.plan.fullness} />
        </div>
      </PlotGroup>
    </>
  );
}

interface Props {
  /** The request of the present page; null while it has an error. */
  request: ForecastCreate | null;
}

/** Keeps a preview until the next one, and marks it once the page has changed. */
export function Simulation({ request }: Props) {
  const simulation = useMutation({
    mutationFn: (body: ForecastCreate) => read(client.POST("/api/v1/simulations", { body })),
  });
  const isOld = simulation.data !== undefined && simulation.variables !== request;
  return (
    <section aria-labelledby="simulation">
      <div className="patina-section">
        <h2 id="simulation">Preview of the run</h2>
        <span>{isOld ? "from before your last change" : "by the model; nothing is written"}</span>
      </div>
      {simulation.isError && <RefusalNotice error={simulation.error} />}
      {simulation.data !== undefined && (
        <Preview simulation={simulation.data} budget={simulation.variables.max_rmse ?? null} />
      )}
      <Button
        variant="default"
        mt="md"
        loading={simulation.isPending}
        disabled={request === null}
        onClick={() => request !== null && simulation.mutate(request)}
      >
        {simulation.data === undefined ? "Simulate the whole run" : "Simulate it again"}
      </Button>
    </section>
  );
}
