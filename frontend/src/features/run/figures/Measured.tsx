// Target against measurement.
import type { Run } from "../../../api/client";
import type { Telemetry } from "../live/telemetry";
import { RunCurves } from "./RunCurves";
import { RunFigures } from "./RunFigures";
import { RunHistograms } from "./RunHistograms";
import { RunRounds } from "./RunRounds";

/** For a profile its histograms, for a workload its effect on the free space. */
export function Measured({ run, telemetry }: { run: Run; telemetry: Telemetry }) {
  const isPlanned = run.workload === null;
  const target = run.fullness === null ? null : { value: run.fullness, of: run.fullness_of };
  return (
    <>
      <RunFigures telemetry={telemetry} target={target} />
      {isPlanned && <RunHistograms telemetry={telemetry} />}
      {run.workload === "fsfb" && <RunRounds layouts={telemetry.layouts} />}
      <RunCurves telemetry={telemetry} target={run.fullness} isPlanned={isPlanned} budget={run.max_rmse} />
    </>
  );
}
