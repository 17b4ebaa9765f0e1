// Pure: reports in sentences every entry that a scan could not read or record.
import type { ScanSummary } from "../../../api/client";
import { count, formatCount, formatFraction, fraction } from "../../../shared/units";

type Counted = {
  [Key in keyof ScanSummary]: ScanSummary[Key] extends number ? Key : never;
}[keyof ScanSummary];

const counted: readonly (readonly [key: Counted, one: string, many: string])[] = [
  ["unreadable_directories_count", "directory could not be opened", "directories could not be opened"],
  ["unreadable_files_count", "file could not be read", "files could not be read"],
  ["unentered_directories_count", "directory was not entered", "directories were not entered"],
  ["vanished_count", "entry vanished meanwhile", "entries vanished meanwhile"],
  [
    "mount_points_count",
    "other file system is mounted in the tree",
    "other file systems are mounted in the tree",
  ],
  [
    "hard_links_count",
    "further hard link of a file that is counted once",
    "further hard links of files that are counted once",
  ],
  [
    "deeper_files_count",
    "file lies deeper than a profile can record",
    "files lie deeper than a profile can record",
  ],
  [
    "oversized_files_count",
    "file is larger than a profile can record",
    "files are larger than a profile can record",
  ],
  [
    "future_files_count",
    "file has a time in the future, counted as new",
    "files have a time in the future, counted as new",
  ],
];

/** Returns the share of the files in one age bin, if that is nearly all: the ages then say little. */
function crowdedAge({ profile: { age } }: ScanSummary): number | null {
  const all = age.reduce((sum, { weight }) => sum + weight, 0);
  const most = Math.max(...age.map(({ weight }) => weight));
  return all > 0 && most / all >= 0.9 ? most / all : null;
}

/** Returns what the ages were counted from, and a warning if they are of little use. */
export function agesOf(summary: ScanSummary): string {
  const { time_source } = summary;
  const sources = {
    creation: "Ages count from the creation times of the files.",
    modification: "Ages count from the last modification: the file system has no creation times.",
    mixed: `Ages count from the creation times; ${formatCount(count(summary.modification_time_files_count)).text} files have none, so theirs count from the last modification.`,
  };
  const crowded = crowdedAge(summary);
  if (crowded === null) return sources[time_source];
  const share = formatFraction(fraction(crowded)).text;
  const why = time_source === "modification" ? "were written" : "were copied or unpacked";
  return `${sources[time_source]} One age bin has ${share} of the files: they probably ${why} at the same time. Correct the ages in the editor.`;
}

export function leftOutOf(summary: ScanSummary): string[] {
  const sentences: string[] = [];
  for (const [key, one, many] of counted) {
    const amount = summary[key];
    if (amount > 0) sentences.push(`${formatCount(count(amount)).text} ${amount === 1 ? one : many}.`);
  }
  if (summary.subdirs_scale_fraction < 1) {
    const part = formatFraction(fraction(summary.subdirs_scale_fraction)).text;
    sentences.push(`There are too many directories: their counts are scaled to ${part}.`);
  }
  return sentences;
}
