// Free-space fragmentation as it changes: the extents that are left, by powers of two.
import type { FreeExtents } from "../../api/client";
import { HistogramFigure } from "../../shared/chart/HistogramFigure";
import { freeSpaceBins } from "../../shared/chart/histogram";
import { bytes, count, formatBytes, formatCount } from "../../shared/units";

export function FreeSpace({ free }: { free: FreeExtents | null }) {
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
        <p className="patina-quiet">Not measured yet.</p>
      ) : (
        <HistogramFigure axis="free_extents" bins={freeSpaceBins(free)} ticks={5} />
      )}
    </section>
  );
}
