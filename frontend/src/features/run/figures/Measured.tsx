// Target against measurement.
import type { Prediction, Run } from "../../../api/client";
import { isAtRest } from "../../../shared/job";
import { Predicted } from "../../../shared/ui/Predicted";
import type { Telemetry } from "../live/telemetry";
import { RunCurves } from "./RunCurves";
import { RunFigures } from "./RunFigures";
import { RunHistograms } from "./RunHistograms";
import { RunRounds } from "./RunRounds";

/** Returns why there is nothing to draw, and nothing comes while the run stays so; null where there is, or soon will be. */
export function emptyReasonOf({ state, samples_count, summary }: Telemetry): string | null {
  if (samples_count > 0 || summary !== null) return null;
  if (state === "queued") return "No figures yet: this run has not begun.";
  return isAtRest(state) ? "No figures: this run ended before its first sample." : null;
}

/** Returns what is predicted so far, as of the last sample of a run that ages now; null without a disk model. */
export function predictedSoFar(run: Run, { sample, summary }: Telemetry): Prediction | null {
  const { emulation } = run.device;
  if (emulation === null || emulation.model_label === null || summary !== null) return null;
  if (sample?.predicted_s == null) return null;
  const { elapsed_s, predicted_s } = sample;
  const { model_label, time } = emulation;
  return { elapsed_s, predicted_s, model_label, time, is_whole: run.prediction?.is_whole ?? true };
}

function PredictedLine({ run, telemetry }: { run: Run; telemetry: Telemetry }) {
  const soFar = predictedSoFar(run, telemetry);
  const prediction = soFar ?? run.prediction;
  if (prediction === null) return null;
  return (
    <p>
      Aging{soFar !== null && ":"} <Predicted prediction={prediction} isSoFar={soFar !== null} />.
    </p>
  );
}

/** For a profile its histograms, for a workload its effect on the free space. */
export function Measured({ run, telemetry }: { run: Run; telemetry: Telemetry }) {
  const reason = emptyReasonOf(telemetry);
  if (reason !== null) return <p className="patina-quiet">{reason}</p>;
  const isPlanned = run.workload === null;
  const target = run.fullness === null ? null : { value: run.fullness, of: run.fullness_of };
  return (
    <>
      <RunFigures telemetry={telemetry} target={target} />
      <PredictedLine run={run} telemetry={telemetry} />
      {isPlanned && <RunHistograms telemetry={telemetry} />}
      {run.workload === "fsfb" && <RunRounds layouts={telemetry.layouts} />}
      <RunCurves telemetry={telemetry} target={run.fullness} isPlanned={isPlanned} budget={run.max_rmse} />
    </>
  );
}
