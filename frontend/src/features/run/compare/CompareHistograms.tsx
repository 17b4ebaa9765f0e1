// The three histograms of every run, target against observed; each kind side by side on one scale.
import { Skeleton } from "@mantine/core";
import type { HistogramName } from "../../../api/client";
import { HistogramFigure, TargetObservedKey } from "../../../shared/chart/histogram/HistogramFigure";
import { emptyReasonOf } from "../figures/Measured";
import { accuracyOf, histogramOf } from "../live/telemetry";
import { sharedCeiling, type Compared } from "./compared";
import classes from "./CompareHistograms.module.css";

const names: readonly HistogramName[] = ["size", "depth", "age"];

/** Keeps the place of a run that has no plan yet; says so where none will come. */
function Unplanned({ label, telemetry }: Pick<Compared, "label" | "telemetry">) {
  const reason = emptyReasonOf(telemetry);
  if (reason === null) return <Skeleton height={250} animate={false} />;
  return (
    <p className="patina-quiet">
      {label}: {reason}
    </p>
  );
}

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
                <Unplanned key={run.id} label={label} telemetry={telemetry} />
              ) : (
                <HistogramFigure
                  key={run.id}
                  axis={name}
                  of={label}
                  bins={histogramOf(telemetry, name)}
                  accuracy={accuracyOf(telemetry, name) ?? null}
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
