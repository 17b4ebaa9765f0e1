// The effect of fsfb's rounds on the free space: measured before the first round, and after each, or after about a
// hundred of them.
import { useMemo } from "react";
import { freeSpaceBins } from "../../../shared/chart/histogram/histogram";
import { HeatMap } from "../../../shared/chart/grid/HeatMap";
import { spanOf, type Curve } from "../../../shared/chart/lines/curves";
import { LinesFigure } from "../../../shared/chart/lines/LinesFigure";
import { PlotGroup } from "../../../shared/chart/lines/PlotGroup";
import { amounts } from "../../../shared/chart/lines/quantities";
import { durations } from "../../../shared/chart/lines/ticks";
import { bytes, formatBytes, shortened } from "../../../shared/units";
import type { Layout } from "../live/facts";
import { roundsOf, timesOf, type Round } from "./rounds";
import { PLOT_HEIGHT } from "./RunCurves";

const sized = (value: number) => formatBytes(bytes(value));
const fromZero = [0] as const;

function extentsOf(rounds: readonly Round[]): Curve {
  return {
    x: rounds.map(({ rounds_count }) => rounds_count),
    y: rounds.map(({ free_extents }) => free_extents.extents_count),
  };
}

export function RunRounds({ layouts }: { layouts: readonly Layout[] }) {
  const rounds = useMemo(() => roundsOf(layouts), [layouts]);
  const moments = useMemo(
    () =>
      rounds.map(({ rounds_count, free_extents }) => ({
        at: rounds_count,
        bins: freeSpaceBins(free_extents),
      })),
    [rounds],
  );
  const extents = useMemo(() => extentsOf(rounds), [rounds]);
  const times = useMemo(() => timesOf(rounds), [rounds]);
  return (
    <PlotGroup
      title="Over rounds"
      over="rounds"
      all={spanOf([extents])}
      aside={<span>measured between two rounds, before the next begins</span>}
    >
      {rounds.length < 2 ? (
        <p className="patina-quiet">No rounds to show.</p>
      ) : (
        <div className="patina-halves">
          <HeatMap
            title="Free space by extent size"
            unit="the more free space the stronger"
            x="rounds"
            moments={moments}
            formatX={(at) => shortened(amounts.format(at))}
            formatEdge={(edge) => sized(edge).text}
          />
          <LinesFigure
            title="Free extents"
            unit="of the free space"
            lines={[{ label: "free extents", ink: "observed", width: 2, curve: extents }]}
            quantity={amounts}
            height={PLOT_HEIGHT}
            include={fromZero}
          />
          <LinesFigure
            title="Time of a round"
            unit="on average since the measurement before"
            lines={[{ label: "a round", ink: "observed", width: 2, curve: times }]}
            quantity={durations}
            height={PLOT_HEIGHT}
            include={fromZero}
          />
        </div>
      )}
    </PlotGroup>
  );
}
