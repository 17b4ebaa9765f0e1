// What the image is, measured.
import { isAged, type AgedImage, type Image } from "../../api/client";
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

function agingItems({ summary }: AgedImage): FigureItem[] {
  const percent = (value: number) => <Exact value={formatFraction(fraction(value))} />;
  const floor = (value: number) => `integer floor ${formatFraction(fraction(value)).text}`;
  const { age, size, depth } = summary.histograms;
  return [
    { label: "Age RMSE", value: percent(age.rmse), note: floor(age.rmse_floor) },
    { label: "Size RMSE", value: percent(size.rmse), note: floor(size.rmse_floor) },
    { label: "Depth RMSE", value: percent(depth.rmse), note: floor(depth.rmse_floor) },
    {
      label: "Fullness",
      value: percent(summary.fullness),
      note: <>target {formatFraction(fraction(summary.fullness_target)).text}</>,
    },
    {
      label: "Chi-squared, age",
      value: `p ${Number(summary.age_chi_squared.p_value.toPrecision(3))}`,
      note: `${Number(summary.age_chi_squared.statistic.toPrecision(3))}, ${summary.age_chi_squared.degrees_of_freedom} degrees of freedom`,
    },
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
  const { capture } = image;
  const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
  return [
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

export function ImageFigures({ image }: { image: Image }) {
  return (
    <>
      {isAged(image) && <Figures label="Figures of the aging" items={agingItems(image)} />}
      <Figures label="Figures of the image" items={storeItems(image)} />
    </>
  );
}
