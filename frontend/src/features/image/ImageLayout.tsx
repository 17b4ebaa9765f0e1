// The layout report, measured on the unmounted device just before the capture.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Refusal, type Image, type Layout } from "../../api/client";
import { BlockMap } from "../../shared/chart/grid/BlockMap";
import { cellsOfMap, shingledTotals } from "../../shared/chart/grid/blockMap";
import { HistogramFigure } from "../../shared/chart/histogram/HistogramFigure";
import { freeSpaceBins } from "../../shared/chart/histogram/histogram";
import { Copyable } from "../../shared/ui/Copyable";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import { Panel } from "../../shared/ui/Panel";
import { bytes, count, formatBytes, formatCount, formatScore, fraction } from "../../shared/units";
import classes from "./ImageLayout.module.css";
import { layoutQuery } from "./queries";
import { FigureLines, Plot } from "../../shared/ui/waiting/shapes";

const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
const number = (value: number) => <Exact value={formatCount(count(value))} />;
const score = (value: number | null) =>
  value === null ? "none" : <Exact value={formatScore(fraction(value))} />;

/** Returns a figure's note with the same figure of the unaged files, where it was measured. */
function besideUnaged(note: ReactNode, unaged: number | null | undefined): ReactNode {
  if (unaged == null) return note;
  return (
    <>
      {note}; unaged {score(unaged)}
    </>
  );
}

function fileItems(files: NonNullable<Layout["files"]>, baseline: Layout["baseline"]): FigureItem[] {
  const unaged = baseline?.unaged_files;
  return [
    {
      label: "Layout score",
      value: score(files.layout_score),
      note: besideUnaged("1 is unfragmented", unaged?.layout_score),
    },
    {
      label: "Inter-file score",
      value: score(files.inter_file_score),
      note: besideUnaged(
        <>1 is in order, of {number(files.inter_file_pairs_count)} neighbours</>,
        unaged?.inter_file_score,
      ),
    },
    {
      label: "Extents a file",
      value: extentsOf(files),
      note: <>at most {number(files.max_extents_count)}</>,
    },
    { label: "Files with data", value: number(files.files_with_data_count) },
  ];
}

/** Returns the figures of the free space, each beside that of the empty file system, where it was measured. */
function freeItems(free: Layout["free_extents"], baseline: Layout["baseline"]): FigureItem[] {
  const empty = baseline?.fresh;
  const item = (label: string, show: (of: Layout["free_extents"]) => ReactNode): FigureItem => ({
    label,
    value: show(free),
    ...(empty !== undefined && { note: <>{show(empty)} when empty</> }),
  });
  return [
    item("Free extents", (of) => number(of.extents_count)),
    item("Mean extent", (of) => size(of.mean_extent_bytes)),
    item("Largest extent", (of) => size(of.max_extent_bytes)),
    item("Free space", (of) => size(of.free_blocks_count * of.block_size_bytes)),
  ];
}

/** Returns the figures that only a shingled disk has. */
function shingledItems(map: Layout["block_map"]): FigureItem[] {
  const totals = shingledTotals(map);
  if (totals === null) return [];
  return [
    { label: "Unusable", value: size(totals.unusable_bytes), note: "of the free space" },
    { label: "Maybe damaged", value: size(totals.damaged_bytes), note: "of the free space" },
  ];
}

/** Compares the layout with the fresh file system and with the same files written once. */
function BesideFresh({
  files,
  free_extents,
  baseline,
}: Layout & { baseline: NonNullable<Layout["baseline"]> }) {
  const { fresh, unaged_free, unaged_files } = baseline;
  const free = [free_extents, unaged_free, fresh];
  const lies = [files, unaged_files];
  const rows = [
    { label: "Free extents", cells: free.map((each) => number(each.extents_count)) },
    { label: "Mean free extent", cells: free.map((each) => size(each.mean_extent_bytes)) },
    { label: "Extents a file", cells: [...lies.map((each) => extentsOf(each)), "–"] },
    { label: "Layout score", cells: [...lies.map((each) => score(each?.layout_score ?? null)), "–"] },
    { label: "Inter-file score", cells: [...lies.map((each) => score(each?.inter_file_score ?? null)), "–"] },
  ];
  return (
    <table className={classes.beside}>
      <caption>Beside the same files, allocated once and in order, and beside the empty file system</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">This image</th>
          <th scope="col">Unaged</th>
          <th scope="col">Empty</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, cells }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {cells.map((cell, index) => (
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function extentsOf(files: Layout["files"]): string | number {
  const mean = files?.mean_extents_count;
  return mean == null ? "none" : Number(mean.toPrecision(3));
}

function Report({ layout }: { layout: Layout }) {
  const { files, free_extents, block_map, layout_digest } = layout;
  return (
    <div className={classes.report}>
      {files != null && (
        <Figures label="Figures of the files' layout" items={fileItems(files, layout.baseline)} />
      )}
      {layout.baseline != null && (
        <div className={classes.scroll} role="region" aria-label="Beside unaged and empty" tabIndex={0}>
          <BesideFresh {...layout} baseline={layout.baseline} />
        </div>
      )}
      {block_map != null && <BlockMap cells={cellsOfMap(block_map)} />}
      <Figures
        label="Figures of the free space"
        items={[...freeItems(free_extents, layout.baseline), ...shingledItems(block_map)]}
      />
      <HistogramFigure axis="free_extents" bins={freeSpaceBins(free_extents)} ticks={5} />
      {layout_digest != null && (
        <p className="patina-quiet">
          Layout digest <Copyable text={layout_digest} what="the layout digest" />
        </p>
      )}
    </div>
  );
}

export function ImageLayout({ image }: { image: Image }) {
  const layout = useQuery(layoutQuery(image.id));
  const isUnknown = layout.error instanceof Refusal && layout.error.code === "layout_unknown";
  return (
    <section aria-labelledby="layout">
      <div className="patina-section">
        <h2 id="layout">Layout report</h2>
        <span>Measured on the unmounted device, just before it was captured</span>
      </div>
      {isUnknown ? (
        <p className="patina-quiet">
          Layout not measured: the image contains no file system that can be read without a repair.
        </p>
      ) : (
        <Panel
          query={layout}
          skeleton={
            <>
              <FigureLines count={4} />
              <Plot height={400} />
            </>
          }
        >
          {(data) => <Report layout={data} />}
        </Panel>
      )}
    </section>
  );
}
