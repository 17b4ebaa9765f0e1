// Free-space fragmentation over time: free extents by powers of two.
import { useMemo, type ReactNode } from "react";
import type { FreeExtents } from "../../../api/client";
import { HeatMap } from "../../../shared/chart/grid/HeatMap";
import { HistogramFigure } from "../../../shared/chart/histogram/HistogramFigure";
import { freeSpaceBins } from "../../../shared/chart/histogram/histogram";
import { bytes, count, formatBytes, formatCount, shortened } from "../../../shared/units";
import type { Layout } from "../live/facts";

interface Props {
  free: FreeExtents | null;
  isOver: boolean;
  /** The measurements in order of their operations. */
  layouts: readonly Layout[];
  blockMap: ReactNode;
}

export function FreeSpace({ free, isOver, layouts, blockMap }: Props) {
  const moments = useMemo(
    () =>
      layouts.map(({ ops_count, free_extents }) => ({ at: ops_count, bins: freeSpaceBins(free_extents) })),
    [layouts],
  );
  return (
    <section aria-labelledby="free-space">
      <div className="patina-section">
        <h2 id="free-space">Free space</h2>
        {free !== null && (
          <span>
            {formatCount(count(free.extents_count)).text} extents, mean{" "}
            {formatBytes(bytes(free.mean_extent_bytes)).text}, largest{" "}
            {formatBytes(bytes(free.max_extent_bytes)).text}
          </span>
        )}
      </div>
      {free === null ? (
        <p className="patina-quiet">{isOver ? "Not measured." : "Not measured yet."}</p>
      ) : (
        <div className="patina-stack">
          <HistogramFigure axis="free_extents" bins={freeSpaceBins(free)} ticks={5} />
          {moments.length > 1 && (
            <HeatMap
              title="Free extents over operations"
              x="operations"
              unit="by extent size, the more free space the stronger"
              moments={moments}
              formatX={(ops) => shortened(formatCount(count(ops)))}
              formatEdge={(edge) => formatBytes(bytes(edge)).text}
            />
          )}
          {blockMap}
        </div>
      )}
    </section>
  );
}
