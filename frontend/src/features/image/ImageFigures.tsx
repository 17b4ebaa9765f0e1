// The measured figures of an image.
import { isAged, type AgedImage, type Image } from "../../api/client";
import { type Target, fullnessNote, headlineOf, metadataOf } from "../../shared/fullness";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatFraction,
  formatOpsPerSecond,
  formatRatio,
  fraction,
  opsPerSecond,
  ratio,
  seconds,
} from "../../shared/units";

function metadataItems(summary: AgedImage["summary"], capacity_bytes: number | null): FigureItem[] {
  const metadata = capacity_bytes === null ? null : metadataOf(summary, capacity_bytes);
  if (metadata === null || capacity_bytes === null) return [];
  const note = `of ${formatBytes(bytes(capacity_bytes)).text} capacity`;
  return [{ label: "Metadata", value: <Exact value={metadata} />, note }];
}

function targetOf({ fullness_target, fullness_statfs_target }: AgedImage["summary"]): Target | null {
  if (fullness_target === null) return null;
  return fullness_statfs_target == null
    ? { value: fullness_target, of: "files" }
    : { value: fullness_statfs_target, of: "statfs" };
}

const percent = (value: number) => <Exact value={formatFraction(fraction(value))} />;

/** Returns the accuracy of the histograms; empty for a workload, which has none. */
function accuracyItems({ histograms, age_chi_squared: chi }: AgedImage["summary"]): FigureItem[] {
  const floor = (value: number) => `integer floor ${formatFraction(fraction(value)).text}`;
  if (histograms === null || chi === null) return [];
  const { age, size, depth } = histograms;
  return [
    { label: "Age RMSE", value: percent(age.rmse), note: floor(age.rmse_floor) },
    { label: "Size RMSE", value: percent(size.rmse), note: floor(size.rmse_floor) },
    { label: "Depth RMSE", value: percent(depth.rmse), note: floor(depth.rmse_floor) },
    {
      label: "Chi-squared, age",
      value: `p ${Number(chi.p_value.toPrecision(3))}`,
      note: `${Number(chi.statistic.toPrecision(3))}, ${chi.degrees_of_freedom} degrees of freedom`,
    },
  ];
}

function agingItems({ summary, recipe }: AgedImage): FigureItem[] {
  const rounds = summary.rounds_count;
  return [
    ...accuracyItems(summary),
    {
      label: "Fullness",
      value: percent(headlineOf(summary)),
      note: fullnessNote(summary, targetOf(summary)),
    },
    ...metadataItems(summary, recipe.capacity_bytes),
    ...(rounds == null ? [] : [{ label: "Rounds", value: <Exact value={formatCount(count(rounds))} /> }]),
    { label: "Overwrites", value: <Exact value={formatRatio(ratio(summary.overwrites))} /> },
    { label: "Files", value: <Exact value={formatCount(count(summary.live_files_count))} /> },
    {
      label: "Operations",
      value: <Exact value={formatCount(count(summary.ops_count))} />,
      note: <Exact value={formatOpsPerSecond(opsPerSecond(summary.ops_per_s))} />,
    },
  ];
}

function storeItems(image: Image): FigureItem[] {
  const { capture, parent, fullness } = image;
  const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
  return [
    ...(parent !== null && fullness !== null
      ? [
          {
            label: "Fullness",
            value: <Exact value={formatFraction(fraction(fullness))} />,
            note: "by its free extents",
          },
        ]
      : []),
    { label: "Device size", value: size(image.size_bytes), note: <>{size(capture.zero_bytes)} zero</> },
    { label: "Stored", value: size(image.stored_bytes), note: <>{size(capture.new_bytes)} of it new</> },
    {
      label: "Chunks",
      value: <Exact value={formatCount(count(capture.distinct_chunks_count))} />,
      note: <>of {size(capture.chunk_size_bytes)}</>,
    },
    { label: "Captured in", value: <Exact value={formatDuration(seconds(capture.elapsed_s))} /> },
  ];
}

/** Shows the figures of the image apart from those measured on its parent. */
export function ImageFigures({ image }: { image: Image }) {
  const own = <Figures label="Figures of the image" items={storeItems(image)} />;
  if (!isAged(image)) return own;
  const ofAging = <Figures label="Figures of the aging" items={agingItems(image)} />;
  if (image.parent === null) {
    return (
      <>
        {ofAging}
        {own}
      </>
    );
  }
  return (
    <>
      {own}
      <section aria-labelledby="of-parent">
        <div className="patina-section">
          <h2 id="of-parent">Of its parent</h2>
          <span>A trial changed the image after these were measured</span>
        </div>
        {ofAging}
      </section>
    </>
  );
}
