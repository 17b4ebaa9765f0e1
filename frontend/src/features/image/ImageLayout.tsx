// Where the file system put things: what was measured of the layout, and what was not.
import type { Image } from "../../api/client";
import { HistogramFigure } from "../../shared/chart/HistogramFigure";
import { freeSpaceBins } from "../../shared/chart/histogram";
import { Exact } from "../../shared/ui/Exact";
import { Figures } from "../../shared/ui/Figures";
import { bytes, count, formatBytes, formatCount } from "../../shared/units";
import classes from "./ImageLayout.module.css";

export function ImageLayout({ image }: { image: Image }) {
  const free = image.summary.free_extents;
  const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
  return (
    <section aria-labelledby="layout">
      <div className="patina-section">
        <h2 id="layout">Layout report</h2>
        <span>Free space as the aging left it</span>
      </div>
      {free === null ? (
        <p className="patina-quiet">
          Free extents were not measured: the file system does not tell them while it is aged.
        </p>
      ) : (
        <div className={classes.report}>
          <Figures
            label="Figures of the layout"
            items={[
              { label: "Free extents", value: <Exact value={formatCount(count(free.extents_count))} /> },
              { label: "Mean extent", value: size(free.mean_extent_bytes) },
              { label: "Largest extent", value: size(free.max_extent_bytes) },
              { label: "Free space", value: size(free.free_blocks_count * free.block_size_bytes) },
            ]}
          />
          <HistogramFigure axis="free_extents" bins={freeSpaceBins(free)} ticks={5} />
        </div>
      )}
    </section>
  );
}
