// The measured figures of an image: a summary, and those of its aging in groups.
import { useQuery } from "@tanstack/react-query";
import type { AgedImage, Image, Layout } from "../../api/client";
import { type Target, fullnessNote, headlineOf, metadataOf } from "../../shared/fullness";
import { Term } from "../../shared/help/Term";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatFraction,
  formatOpsPerSecond,
  formatScore,
  formatTimes,
  fraction,
  opsPerSecond,
  ratio,
} from "../../shared/units";
import classes from "./ImageFigures.module.css";
import { layoutQuery } from "./queries";

const percent = (value: number) => <Exact value={formatFraction(fraction(value))} />;
const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;

function metadataItems(summary: AgedImage["summary"], capacity_bytes: number | null): FigureItem[] {
  const metadata = capacity_bytes === null ? null : metadataOf(summary, capacity_bytes);
  if (metadata === null || capacity_bytes === null) return [];
  const note = `of ${formatBytes(bytes(capacity_bytes)).text} capacity, without what mkfs set aside`;
  return [{ label: "Metadata", value: <Exact value={metadata} />, note }];
}

function targetOf({ fullness_target, fullness_statfs_target }: AgedImage["summary"]): Target | null {
  if (fullness_target === null) return null;
  return fullness_statfs_target == null
    ? { value: fullness_target, of: "files" }
    : { value: fullness_statfs_target, of: "statfs" };
}

/** Returns the accuracy of the histograms; empty for a workload, which has none. */
function accuracyItems({ histograms, age_chi_squared: chi }: AgedImage["summary"]): FigureItem[] {
  const floor = (value: number) => (
    <>
      <Term of="integer-floor">best possible with whole files</Term> {percent(value)}
    </>
  );
  if (histograms === null || chi === null) return [];
  const { age, size: sizes, depth } = histograms;
  return [
    { label: "Age RMSE", value: percent(age.rmse), note: floor(age.rmse_floor) },
    { label: "Size RMSE", value: percent(sizes.rmse), note: floor(sizes.rmse_floor) },
    { label: "Depth RMSE", value: percent(depth.rmse), note: floor(depth.rmse_floor) },
    {
      label: "Chi-squared, age",
      value: `p ${Number(chi.p_value.toPrecision(3))}`,
      note: `below 0.05 the ages would differ from the target; ${Number(chi.statistic.toPrecision(3))}, ${chi.degrees_of_freedom} degrees of freedom`,
    },
  ];
}

function contentItems({ summary, recipe }: AgedImage): FigureItem[] {
  return [
    {
      label: "Fullness",
      value: percent(headlineOf(summary)),
      note: fullnessNote(summary, targetOf(summary)),
    },
    ...metadataItems(summary, recipe.capacity_bytes),
    { label: "Files", value: <Exact value={formatCount(count(summary.live_files_count))} /> },
  ];
}

function workItems({ summary }: AgedImage): FigureItem[] {
  const rounds = summary.rounds_count;
  return [
    {
      label: "Overwrites",
      value: <Exact value={formatTimes(ratio(summary.overwrites))} />,
      note: "device written",
    },
    {
      label: "Operations",
      value: <Exact value={formatCount(count(summary.ops_count))} />,
      note: <Exact value={formatOpsPerSecond(opsPerSecond(summary.ops_per_s))} />,
    },
    ...(rounds == null ? [] : [{ label: "Rounds", value: <Exact value={formatCount(count(rounds))} /> }]),
  ];
}

/** Returns the mean free extent, which aging changes most, beside that of the same files allocated once. */
function freeExtentItems(layout: Layout | null | undefined): FigureItem[] {
  if (layout === null) return [];
  const unaged = layout?.baseline?.unaged_free.mean_extent_bytes;
  return [
    {
      label: "Mean free extent",
      value: layout === undefined ? "–" : size(layout.free_extents.mean_extent_bytes),
      ...(unaged != null && { note: <>unaged {size(unaged)}</> }),
    },
  ];
}

/** The layout is undefined while it is fetched: the places of its figures are kept. */
function summaryItems(image: Image, layout: Layout | null | undefined): FigureItem[] {
  const layout_score = layout === undefined ? undefined : (layout?.files?.layout_score ?? null);
  const { fullness, file_system, intake, summary, parent } = image;
  return [
    {
      label: file_system === null ? "Content" : "File system",
      value: file_system ?? intake?.holds ?? "unknown",
    },
    ...(fullness === null
      ? []
      : [
          {
            label: "Fullness",
            value: percent(fullness),
            ...(parent !== null && { note: "measured by its free extents" }),
          },
        ]),
    ...(layout_score === null
      ? []
      : [
          {
            label: "Layout score",
            value: layout_score === undefined ? "–" : <Exact value={formatScore(fraction(layout_score))} />,
            note: "1 is unfragmented",
          },
        ]),
    ...freeExtentItems(layout),
    ...(summary?.histograms == null || parent !== null
      ? []
      : [{ label: "Age RMSE", value: percent(summary.histograms.age.rmse) }]),
    { label: "Device size", value: size(image.size_bytes) },
    { label: "Stored", value: size(image.stored_bytes) },
  ];
}

/** Shows what is asked first of an image. */
export function ImageSummary({ image }: { image: Image }) {
  const { data: layout, isPending } = useQuery(layoutQuery(image.id));
  return (
    <div className={classes.summary}>
      <Figures label="Summary" items={summaryItems(image, isPending ? undefined : (layout ?? null))} />
    </div>
  );
}

/** Shows the figures of the aging; for an image of a trial, those of its parent. */
export function AgingFigures({ image }: { image: AgedImage }) {
  const groups = [
    { title: "Accuracy", items: accuracyItems(image.summary) },
    { title: "Contents", items: contentItems(image) },
    { title: "Work", items: workItems(image) },
  ];
  return (
    <section aria-labelledby="aging">
      <div className="patina-section">
        <h2 id="aging">{image.parent === null ? "Aging" : "Aging of its parent"}</h2>
        {image.parent !== null && <span>A trial changed the image after these were measured</span>}
      </div>
      <div className={classes.groups}>
        {groups.map(({ title, items }) =>
          items.length === 0 ? null : (
            <div key={title}>
              <h3 className={classes.title}>{title}</h3>
              <Figures label={title} items={items} />
            </div>
          ),
        )}
      </div>
    </section>
  );
}
