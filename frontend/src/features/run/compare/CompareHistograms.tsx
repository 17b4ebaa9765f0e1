// The three histograms of every run, target against observed; each kind side by side on one scale.
import { Skeleton } from "@mantine/core";
import type { HistogramName } from "../../../api/client";
import { HistogramFigure, TargetObservedKey } from "../../../shared/chart/histogram/HistogramFigure";
import { accuracyOf, histogramOf } from "../live/telemetry";
import { sharedCeiling, type Compared } from "./compared";
import classes from "./CompareHistograms.module.css";

const names: readonly HistogramName[] = ["size", "depth", "age"];

export function CompareHistograms({ runs }: { runs: readonly Compared[] }) {
  return (
    <section aria-labelledby="histograms">
      <div className="patina-section">
        <h2 id="histograms">Target and observed</h2>
        <TargetObservedKey />
      </div>
      <div className="patina-stack">
        {names.map((name) => (
          <div key={name} className={classes.row}>
            {runs.map(({ run, telemetry, label }) =>
              telemetry.plan === null ? (
                <Skeleton key={run.id} height={250} animate={false} />
              ) : (
                <HistogramFigure
                  key={run.id}
                  axis={name}
                  of={label}
                  bins={histogramOf(telemetry, name)}
                  accuracy={accuracyOf(telemetry, name)}
                  ceiling={sharedCeiling(runs, name)}
                  ticks={4}
                />
              ),
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
