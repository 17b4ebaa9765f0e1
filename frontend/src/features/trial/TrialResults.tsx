// The results of a trial: a figure for each workload, absolute or relative to the unaged state.
import { Box, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Trial } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import { StateMark } from "../../shared/ui/StateMark";
import { SeriesFigure } from "./SeriesFigure";
import { seriesOf } from "./series";
import { changesOf, hasRatios, missingOf, resultsOf, textOfInterval, type WorkloadResult } from "./results";
import { formatTimes, metricOf, tickOf } from "./words";

function tableOf({ groups }: WorkloadResult) {
  return {
    columns: ["File system", "State", "Mean", "95 % interval", "Values"],
    rows: groups.flatMap(({ label, bars }) =>
      bars.map((bar) => [
        label,
        bar.label,
        bar.mean.toPrecision(5),
        textOfInterval(bar),
        bar.points.map((point) => point.toPrecision(4)).join("  "),
      ]),
    ),
  };
}

function OneWorkload({ trial, result, asRatio }: { trial: Trial; result: WorkloadResult; asRatio: boolean }) {
  const workload = trial.settings.workloads[result.index];
  if (workload === undefined) return null;
  const metric = metricOf(workload);
  const better = metric.isMoreBetter ? "more is better" : "less is better";
  const unit = asRatio ? `relative to the base, ${better}` : `${metric.unit}, ${better}`;
  const tick = tickOf(asRatio ? formatTimes : metric.format);
  return (
    <Figure
      title={result.name}
      unit={unit}
      table={() => tableOf(result)}
      saved={savedBars(`${result.name}, ${unit}`, unit, result.groups, tick)}
    >
      <BarPlot groups={result.groups} tick={tick} {...(asRatio && { reference: 1 })} />
    </Figure>
  );
}

export function TrialResults({ trial }: { trial: Trial }) {
  const [asRatio, setAsRatio] = useState(false);
  const shown = asRatio && hasRatios(trial);
  const results = resultsOf(trial, shown);
  const drawnSeries = shown ? [] : seriesOf(trial);
  const drawn = new Set(drawnSeries.flatMap(({ workloads }) => workloads));
  const changes = changesOf(trial);
  return (
    <section aria-labelledby="results">
      <div className="patina-section">
        <h2 id="results">Results</h2>
        {hasRatios(trial) && (
          <SegmentedControl
            size="xs"
            aria-label="Values"
            data={[
              { value: "absolute", label: "Absolute" },
              { value: "ratio", label: "Relative to the base" },
            ]}
            value={shown ? "ratio" : "absolute"}
            onChange={(value) => setAsRatio(value === "ratio")}
            transitionDuration={0}
          />
        )}
      </div>
      {results.length === 0 ? (
        <p className="patina-quiet">Nothing is measured yet. Figures appear with the first repetition.</p>
      ) : (
        <>
          {changes.map((sentence) => (
            <p key={sentence}>
              <StateMark tone="bad">{sentence}</StateMark>
            </p>
          ))}
          {missingOf(trial).map((sentence) => (
            <p key={sentence}>
              <StateMark tone="waiting">{sentence}</StateMark>
            </p>
          ))}
          <div className="patina-halves">
            {drawnSeries.map((one) => (
              <SeriesFigure key={one.title} series={one} />
            ))}
            {results
              .filter(({ index }) => !drawn.has(index))
              .map((result) => (
                <OneWorkload key={result.name} trial={trial} result={result} asRatio={shown} />
              ))}
          </div>
          <Box component="p" mt="md" className="patina-quiet">
            Bars, and dots on lines, are means, brackets and upright strokes their 95 % intervals (Student).
            Dots on bars are the single repetitions; a hollow one is an outlier and stays in the mean. Ranks
            compare the means of one state.
          </Box>
        </>
      )}
    </section>
  );
}
