// Where the file system put things: what was measured of the layout, and what was not.
import type { Image, IntakeFacts } from "../../api/client";
import { HistogramFigure } from "../../shared/chart/HistogramFigure";
import { freeSpaceBins } from "../../shared/chart/histogram";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import { bytes, count, formatBytes, formatCount, formatFraction, fraction } from "../../shared/units";
import classes from "./ImageLayout.module.css";

/** Of the files, which an aging knows by its own figures. */
function fileItems(taken_in: IntakeFacts | null): FigureItem[] {
  const files = taken_in?.layout?.files;
  if (!files) return [];
  const score = (value: number | null) =>
    value === null ? "none" : <Exact value={formatFraction(fraction(value))} />;
  return [
    { label: "Files", value: <Exact value={formatCount(count(files.files_count))} /> },
    { label: "Layout score", value: score(files.layout_score) },
    { label: "Inter-file score", value: score(files.inter_file_score) },
  ];
}

export function ImageLayout({ image }: { image: Image }) {
  const taken_in = image.intake;
  const free = (image.summary ?? taken_in?.layout)?.free_extents ?? null;
  const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
  return (
    <section aria-labelledby="layout">
      <div className="patina-section">
        <h2 id="layout">Layout report</h2>
        <span>Free space as {taken_in === null ? "the aging left it" : "it came in"}</span>
      </div>
      {free === null ? (
        <p className="patina-quiet">
          {taken_in?.layout_message ??
            "Free extents were not measured: the file system does not tell them while it is aged."}
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
              ...fileItems(taken_in),
            ]}
          />
          <HistogramFigure axis="free_extents" bins={freeSpaceBins(free)} ticks={5} />
        </div>
      )}
    </section>
  );
}
