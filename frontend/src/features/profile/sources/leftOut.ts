// Pure: what a scan could not read or say, as sentences. Nothing is left out silently.
import type { ScanSummary } from "../../../api/client";
import { count, formatCount, formatFraction, fraction } from "../../../shared/units";

type Counted = {
  [Key in keyof ScanSummary]: ScanSummary[Key] extends number ? Key : never;
}[keyof ScanSummary];

const counted: readonly (readonly [key: Counted, one: string, many: string])[] = [
  ["unreadable_directories_count", "directory could not be opened", "directories could not be opened"],
  ["unreadable_files_count", "file could not be looked at", "files could not be looked at"],
  ["unentered_directories_count", "directory was not entered", "directories were not entered"],
  ["vanished_count", "entry vanished meanwhile", "entries vanished meanwhile"],
  ["mount_points_count", "other file system lies in the tree", "other file systems lie in the tree"],
  [
    "hard_links_count",
    "further name of a file that is counted once",
    "further names of files that are counted once",
  ],
  [
    "deeper_files_count",
    "file lies deeper than a profile can say",
    "files lie deeper than a profile can say",
  ],
  [
    "oversized_files_count",
    "file is larger than a profile can say",
    "files are larger than a profile can say",
  ],
  [
    "future_files_count",
    "file is from the future, counted as new",
    "files are from the future, counted as new",
  ],
];

export function leftOutOf(summary: ScanSummary): string[] {
  const sentences: string[] = [];
  for (const [key, one, many] of counted) {
    const amount = summary[key];
    if (amount > 0) sentences.push(`${formatCount(count(amount)).text} ${amount === 1 ? one : many}.`);
  }
  if (summary.subdirs_scale_fraction < 1) {
    const part = formatFraction(fraction(summary.subdirs_scale_fraction)).text;
    sentences.push(`The directories were too many: their counts are scaled to ${part}.`);
  }
  if (summary.time_source !== "creation") {
    const mixed = summary.time_source === "mixed";
    sentences.push(
      mixed
        ? `${formatCount(count(summary.modification_time_files_count)).text} files tell no time of creation: their ages are since they were modified.`
        : "The file system tells no time of creation: ages are since the last modification.",
    );
  }
  return sentences;
}
