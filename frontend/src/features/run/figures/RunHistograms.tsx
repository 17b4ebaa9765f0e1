// The three histograms, target against observed, live.
import { Skeleton } from "@mantine/core";
import type { HistogramName } from "../../../api/client";
import { HistogramFigure, TargetObservedKey } from "../../../shared/chart/histogram/HistogramFigure";
import { windowStates } from "./plan";
import { WindowsKey } from "../../../shared/chart/histogram/HistogramPlot";
import { accuracyOf, histogramOf, type Telemetry } from "../live/telemetry";
import classes from "./RunHistograms.module.css";

const names: readonly HistogramName[] = ["size", "depth", "age"];

/** Returns the windows during aging; afterwards every window is closed. */
function windowsOf({ plan, sample, summary, phase }: Telemetry) {
  if (plan === null || summary !== null || phase === null) return undefined;
  return windowStates(plan, sample?.ops_count ?? 0);
}

export function RunHistograms({ telemetry }: { telemetry: Telemetry }) {
  return (
    <section aria-labelledby="histograms">
      <div className="patina-section">
        <h2 id="histograms">Target and observed</h2>
        <span className={classes.keys}>
          <TargetObservedKey />
          {windowsOf(telemetry) !== undefined && <WindowsKey />}
        </span>
      </div>
      <p className="patina-quiet">
        The ages match only at the end: the files of each age bin are created in a part of the run, its
        window, the oldest first.
      </p>
      <div className="patina-charts">
        {names.map((name) =>
          telemetry.plan === null ? (
            <Skeleton key={name} height={262} animate={false} />
          ) : (
            <HistogramFigure
              key={name}
              axis={name}
              bins={histogramOf(telemetry, name)}
              accuracy={accuracyOf(telemetry, name) ?? null}
              windows={name === "age" ? windowsOf(telemetry) : undefined}
            />
          ),
        )}
      </div>
    </section>
  );
}
