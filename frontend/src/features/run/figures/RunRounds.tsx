// The effect of fsfb's rounds on the free space: measured before the first round, and after each, or after about a
// hundred of them.
import { useMemo } from "react";
import { freeSpaceBins } from "../../../shared/chart/histogram/histogram";
import { HeatMap } from "../../../shared/chart/grid/HeatMap";
import type { Columns, LineSpec } from "../../../shared/chart/lines/LivePlot";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  seconds,
  shortened,
} from "../../../shared/units";
import { Curve } from "./RunCurves";
import { timesOf } from "./rounds";
import type { Round } from "../live/telemetry";

const extentLines: readonly LineSpec[] = [{ label: "free extents", ink: "observed", width: 2 }];
const rounded = (value: number) => formatCount(count(value));
const sized = (value: number) => formatBytes(bytes(value));

const timeLines: readonly LineSpec[] = [{ label: "a round", ink: "observed", width: 2 }];
const timed = (value: number) => formatDuration(seconds(value));

export function RunRounds({ rounds }: { rounds: readonly Round[] }) {
  const moments = useMemo(
    () =>
      rounds.map(({ rounds_count, free_extents }) => ({
        at: rounds_count,
        bins: freeSpaceBins(free_extents),
      })),
    [rounds],
  );
  const extents = useMemo<Columns>(
    () => [
      rounds.map(({ rounds_count }) => rounds_count),
      rounds.map(({ free_extents }) => free_extents.extents_count),
    ],
    [rounds],
  );
  const times = useMemo(() => timesOf(rounds), [rounds]);
  return (
    <section aria-labelledby="rounds">
      <div className="patina-section">
        <h2 id="rounds">Over rounds</h2>
        <span>measured between two rounds, before the next begins</span>
      </div>
      {rounds.length < 2 ? (
        <p className="patina-quiet">No rounds to show.</p>
      ) : (
        <div className="patina-halves">
          <HeatMap
            title="Free space by extent size"
            unit="the more free space the stronger"
            x="rounds"
            moments={moments}
            formatX={(at) => shortened(rounded(at))}
            formatEdge={(edge) => sized(edge).text}
          />
          <Curve
            title="Free extents"
            unit="of the free space"
            x="rounds"
            lines={extentLines}
            columns={extents}
            format={rounded}
            include={[0]}
          />
          <Curve
            title="Time of a round"
            unit="on average since the measurement before"
            x="rounds"
            lines={timeLines}
            columns={times}
            format={timed}
            include={[0]}
          />
        </div>
      )}
    </section>
  );
}
