// Measurements of a mode on a file system: the distance of its layout from the reference, and its cost.
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

/** Returns the distance from the reference; null where it was not measured. */
export function distanceOf(file_system: string, mode: AgingMode): string | null {
  const distance = byFileSystem[file_system]?.[mode];
  if (distance === undefined || mode === "reference") return null;
  const percent = (value: number) => formatFraction(fraction(value)).text;
  const score = Math.max(distance.layout_score, distance.inter_file_score);
  return [
    `against Reference at most ${percent(distance.free_extents_fraction)} in free extents`,
    `${percent(distance.extents_per_file_fraction)} in extents per file`,
    `${score} in layout scores`,
  ].join(", ");
}

/** Returns the time as a multiple of that of fast tools; null where it was not measured. */
export function priceOf(file_system: string, mode: AgingMode): string | null {
  const ratio = byFileSystem[file_system]?.[mode]?.time_ratio;
  return ratio === undefined || mode === "unbounded" ? null : `takes ${ratio} times as long as fast tools`;
}
