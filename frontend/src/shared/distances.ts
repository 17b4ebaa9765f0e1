// What was measured of a mode on a file system: how far its layout is from the reference, and what it costs.
import measured from "./distances.json";
import type { AgingMode } from "./modes";
import { formatFraction, fraction } from "./units";

interface Distance {
  free_extents_fraction: number;
  extents_per_file_fraction: number;
  layout_score: number;
  inter_file_score: number;
  time_ratio: number;
}

const byFileSystem: Record<string, Partial<Record<AgingMode, Distance>>> = measured;

/** Null where it was not measured. */
export function distanceOf(file_system: string, mode: AgingMode): string | null {
  const distance = byFileSystem[file_system]?.[mode];
  if (distance === undefined || mode === "reference") return null;
  const percent = (value: number) => formatFraction(fraction(value)).text;
  const score = Math.max(distance.layout_score, distance.inter_file_score);
  return [
    `free extents at most ${percent(distance.free_extents_fraction)} from the reference's`,
    `extents a file ${percent(distance.extents_per_file_fraction)}`,
    `scores ${score}`,
  ].join(", ");
}

/** As a multiple of the time that fast tools take; null where it was not measured. */
export function priceOf(file_system: string, mode: AgingMode): string | null {
  const ratio = byFileSystem[file_system]?.[mode]?.time_ratio;
  return ratio === undefined || mode === "unbounded" ? null : `${ratio} times the time of fast tools`;
}
