// The settings of a run without a field of their own: their descriptions come from the API's document, so that a new
// setting appears on the page without a line here.
import described from "../api/settings.json";
import type { RunCreate } from "../api/client";
import { count, formatCount, formatDuration, formatFraction, fraction, seconds } from "./units";

export type SettingName = keyof typeof described;

/** Settings of a file system, beside its name: in a batch each device has its own. */
export const optionNames = ["added_mkfs_options", "added_mount_options"] as const;
export type OptionName = (typeof optionNames)[number];

/** Settings with fields of their own. */
const own = [
  "profile",
  "profile_version_number",
  "workload",
  "replay_of",
  "survivors",
  "fullness",
  "fullness_of",
  "mode",
  "data_mode",
  "capture_mode",
  "in_memory",
  "file_system",
  "max_rmse",
  "exact_ops_count",
  ...optionNames,
] as const satisfies readonly SettingName[];

type ShownName = MoreName | OptionName | "exact_ops_count";

export type MoreName = Exclude<SettingName, (typeof own)[number]>;
export type More = Partial<Pick<RunCreate, MoreName>>;

export interface Described {
  type: string;
  description?: string;
  default: unknown;
  enum?: readonly string[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
  pattern?: string;
  maxLength?: number;
  /** The only goal with this setting: a workload, or "profile". */
  of?: string;
}

const titles: Partial<Record<ShownName, string>> = {
  added_mkfs_options: "Added mkfs options",
  exact_ops_count: "Operations in all",
  added_mount_options: "Added mount options",
  max_overwrites: "Stop at overwrites",
  max_seconds: "Stop after",
  size_draw: "File sizes",
  append_fraction: "Appends",
  overwrite_fraction: "Overwrites in place",
  truncate_fraction: "Truncations",
  rename_fraction: "Renames",
  punch_hole_fraction: "Holes",
  threads_count: "Writers",
  sync_ops: "Sync every",
  compressible_fraction: "Compressible",
  ops_count: "Operations",
  keeps_log: "Keep the operation log",
};

function isMore(name: string): name is MoreName {
  return !(own as readonly string[]).includes(name);
}

export const moreNames: readonly MoreName[] = Object.keys(described).filter(isMore);

const shownNames: readonly ShownName[] = [...moreNames, ...optionNames, "exact_ops_count"];

export function describe(name: ShownName): Described {
  return described[name];
}

/** Returns the title without its unit, which is beside the value. */
export function titleOfSetting(name: ShownName): string {
  const words = name.replace(/_(fraction|count|seconds|ops)$/, "").replaceAll("_", " ");
  return titles[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

export const isFraction = (name: string) => name.endsWith("_fraction");

/** Returns the suffix of the number. */
export function unitOf(name: string): string {
  if (isFraction(name)) return " %";
  if (name.endsWith("_seconds")) return " s";
  return name.endsWith("_ops") ? " operations" : "";
}

function isOption(name: string): name is OptionName {
  return (optionNames as readonly string[]).includes(name);
}

function textOf(name: ShownName, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isOption(name)) return String(value);
  if (typeof value !== "number") return String(value).replaceAll("_", " ");
  if (isFraction(name)) return formatFraction(fraction(value)).text;
  if (name === "exact_ops_count") return formatCount(count(value)).exact;
  return name.endsWith("_seconds") ? formatDuration(seconds(value)).text : `${value}${unitOf(name)}`;
}

/** Returns the settings that differ from their defaults, with titles: for a run's page, its recipe, and comparisons.
 * Settings of a workload alone are part of the goal. */
export function unusual(
  settings: More & Partial<Pick<RunCreate, OptionName | "exact_ops_count">>,
  except: readonly ShownName[] = [],
): [title: string, text: string][] {
  return shownNames
    .filter((name) => !except.includes(name) && [undefined, "profile"].includes(describe(name).of))
    .filter((name) => settings[name] != null && settings[name] !== describe(name).default)
    .map((name) => [titleOfSetting(name), textOf(name, settings[name])]);
}

/** Returns those of the settings without a field of their own. */
export function moreOf(settings: More): More {
  return Object.fromEntries(
    moreNames.filter((name) => settings[name] != null).map((name) => [name, settings[name]]),
  );
}
