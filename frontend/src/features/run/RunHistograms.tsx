// The three histograms: target against observed, moving.
import { Skeleton } from "@mantine/core";
import type { HistogramName } from "../../api/client";
import { HistogramFigure, TargetObservedKey } from "../../shared/chart/HistogramFigure";
import { accuracyOf, histogramOf, type Telemetry } from "./telemetry";

const names: readonly HistogramName[] = ["size", "depth", "age"];

export function RunHistograms({ telemetry }: { telemetry: Telemetry }) {
  return (
    <section aria-labelledby="histograms">
      <div className="patina-section">
        <h2 id="histograms">Target and observed</h2>
        <TargetObservedKey />
      </div>
      <div className="patina-charts">
        {names.map((name) =>
          telemetry.plan === null ? (
            <Skeleton key={name} height={250} animate={false} />
          ) : (
            <HistogramFigure
              key={name}
              axis={name}
              bins={histogramOf(telemetry, name)}
              accuracy={accuracyOf(telemetry, name)}
            />
          ),
        )}
      </div>
    </section>
  );
}
