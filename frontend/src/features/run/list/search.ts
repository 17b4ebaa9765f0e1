// Pure: the search of the list of runs, as an address contains it. The router needs it: it is in the first load.
import type { RunQuery, RunSort } from "../../../api/client";
import described from "../../../api/settings.json";
import { isWorkload, workloads } from "../../../shared/goal";
import { toneOf } from "../../../shared/job";

/** The values of a condition, any of which a run has. */
export type ListName =
  | "state"
  | "profile"
  | "workload"
  | "file_system"
  | "tag"
  | "device_id"
  | "host_id"
  | "batch_id";

/** A search as the address contains it: days in place of moments. */
export type RunsSearch = Omit<RunQuery, "since" | "until" | "log_of_host_id"> & {
  since?: string;
  until?: string;
  /** Whether the runs of a batch stand together. */
  grouped?: boolean;
};

export interface Option {
  value: string;
  label: string;
}

/** The conditions, in the order of the page. */
export const titles: Record<ListName, string> = {
  state: "State",
  profile: "Profile",
  workload: "Workload",
  file_system: "File system",
  device_id: "Device",
  host_id: "Host",
  batch_id: "Batch",
  tag: "Tag",
};
export const listNames = Object.keys(titles) as ListName[];

export const fixedOptions: Partial<Record<ListName, readonly Option[]>> = {
  state: Object.keys(toneOf)
    .filter((state) => state !== "uploading")
    .map((state) => ({ value: state, label: state })),
  workload: Object.entries(workloads).map(([value, { label }]) => ({ value, label })),
  file_system: described.file_system.enum.map((name) => ({ value: name, label: name })),
};

const isNumber = (name: ListName) => name.endsWith("_id");
const isOrdinal = (value: number) => Number.isSafeInteger(value) && value >= 1;

function accepts(name: ListName, value: string): boolean {
  if (isNumber(name)) return isOrdinal(Number(value));
  if (name === "workload") return isWorkload(value);
  return value !== "" && (fixedOptions[name]?.some((option) => option.value === value) ?? true);
}

function valuesOf(name: ListName, given: unknown): (string | number)[] {
  const words = (Array.isArray(given) ? given : [given])
    .filter((value) => typeof value === "string" || typeof value === "number")
    .map(String)
    .filter((value) => accepts(name, value));
  return isNumber(name) ? words.map(Number) : words;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isDay = (value: unknown): value is string =>
  typeof value === "string" && DAY.test(value) && !Number.isNaN(Date.parse(value));

export const sorts: Record<RunSort, { title: string; isDescendingFirst: boolean }> = {
  created: { title: "Created", isDescendingFirst: true },
  name: { title: "Name", isDescendingFirst: false },
  size: { title: "Size", isDescendingFirst: true },
  fullness: { title: "Fullness", isDescendingFirst: true },
  age_rmse: { title: "Age RMSE", isDescendingFirst: false },
};
export const sortNames = Object.keys(sorts) as RunSort[];
const isSort = (value: unknown): value is RunSort => typeof value === "string" && Object.hasOwn(sorts, value);

/** Returns the search that an address contains. Unknown members are left out; a single value may lack its list. */
export function searchOf(address: Record<string, unknown>): RunsSearch {
  const { q, since, until, archived, sort, is_descending, grouped } = address;
  const lists = listNames.flatMap((name) => {
    const values = valuesOf(name, address[name]);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    // A number in the address is text here.
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q) }),
    ...Object.fromEntries(lists),
    ...(isDay(since) && { since }),
    ...(isDay(until) && { until }),
    ...(archived === true && { archived }),
    ...(isSort(sort) && sort !== "created" && { sort }),
    ...(is_descending === false && { is_descending }),
    ...(grouped === true && { grouped }),
  };
}
