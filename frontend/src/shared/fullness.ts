// The fullness of a file system: as it reports itself, and of its files' data, which the plan counts.
import type { FullnessOf } from "./modes";
import { bytes, formatBytes, formatFraction, fraction } from "./units";

export interface Fullness {
  fullness: number;
  fullness_statfs: number | null;
}

/** Returns the headline: the fullness by statfs, or the plan's where statfs was not called. */
export function headlineOf({ fullness, fullness_statfs }: Fullness): number {
  return fullness_statfs ?? fullness;
}

/** The target: of the files' data, or of all space that statfs counts as used. */
export interface Target {
  value: number;
  of: FullnessOf;
}

export function fullnessNote({ fullness, fullness_statfs }: Fullness, target: Target | null): string {
  // A number and its unit stay on one line.
  const percent = (value: number) => formatFraction(fraction(value)).text.replace(" ", "\u00a0");
  const files = fullness_statfs === null ? "by the model" : `files ${percent(fullness)}`;
  if (target === null) return files;
  return target.of === "files"
    ? `${files}, target ${percent(target.value)}`
    : `target ${percent(target.value)}, ${files}`;
}

/** Returns the space that the file system uses beyond the files' data; null where statfs was not called. */
export function metadataOf({ fullness, fullness_statfs }: Fullness, capacity_bytes: number) {
  if (fullness_statfs === null) return null;
  return formatBytes(bytes(Math.max(0, Math.round((fullness_statfs - fullness) * capacity_bytes))));
}
