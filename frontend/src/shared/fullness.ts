// How full a file system is: what it reports itself, and the data of its files, which the plan counts.
import type { FullnessOf } from "./modes";
import { bytes, formatBytes, formatFraction, fraction } from "./units";

export interface Fullness {
  fullness: number;
  fullness_statfs: number | null;
}

/** The headline: what the file system reports, or the plan's where none was asked. */
export function headlineOf({ fullness, fullness_statfs }: Fullness): number {
  return fullness_statfs ?? fullness;
}

/** Asked for: of the files' data, or of all that statfs counts. */
export interface Target {
  value: number;
  of: FullnessOf;
}

export function fullnessNote({ fullness, fullness_statfs }: Fullness, target: Target | null): string {
  const percent = (value: number) => formatFraction(fraction(value)).text;
  const files = fullness_statfs === null ? "by the model" : `files ${percent(fullness)}`;
  if (target === null) return files;
  return target.of === "files"
    ? `${files}, target ${percent(target.value)}`
    : `target ${percent(target.value)}, ${files}`;
}

/** What the file system uses beside the data of the files; null where it was not asked. */
export function metadataOf({ fullness, fullness_statfs }: Fullness, capacity_bytes: number) {
  if (fullness_statfs === null) return null;
  return formatBytes(bytes(Math.max(0, Math.round((fullness_statfs - fullness) * capacity_bytes))));
}
