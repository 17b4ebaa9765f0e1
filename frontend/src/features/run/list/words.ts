// Pure: the search of the list of runs, in the address and for the API.
import type { Prediction, RunItem, RunQuery, RunSort } from "../../../api/client";
import described from "../../../api/settings.json";
import { isWorkload, workloads } from "../../../shared/goal";
import { isEnded, toneOf } from "../../../shared/job";
import {
  bytes,
  formatBytes,
  formatDuration,
  formatFraction,
  formatTime,
  fraction,
  seconds,
  type Formatted,
} from "../../../shared/units";

/** The element of the list that begins a choice of runs: as the hash of the address, it gets the focus. */
export const CHOICE_OF_RUNS = "choose";

/** The values of a condition, any of which a run has. */
type ListName =
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

/** Returns the query of the API: a day begins and ends at midnight of this browser's time zone. */
export function queryOf(search: RunsSearch): RunQuery {
  const { since, until, ...rest } = searchOf({ ...search, grouped: false });
  const midnight = (day: string, days: number) => {
    const at = new Date(`${day}T00:00`);
    at.setDate(at.getDate() + days);
    return at.toISOString();
  };
  return {
    ...rest,
    ...(since !== undefined && { since: midnight(since, 0) }),
    ...(until !== undefined && { until: midnight(until, 1) }),
  };
}

/** Returns the values chosen for a condition, as the options have them. */
export const chosenOf = (search: RunsSearch, name: ListName): string[] => (search[name] ?? []).map(String);

export function withChosen(search: RunsSearch, name: ListName, values: readonly string[]): RunsSearch {
  return searchOf({ ...search, [name]: values });
}

/** Returns the search ordered by a column, the other way round if it is ordered by it already. */
export function sortedBy(search: RunsSearch, sort: RunSort): RunsSearch {
  const isDescending = search.is_descending ?? true;
  const isSame = (search.sort ?? "created") === sort;
  return searchOf({ ...search, sort, is_descending: isSame ? !isDescending : sorts[sort].isDescendingFirst });
}

/** Returns the search without its conditions; the order and the grouping stay. */
export function withoutConditions({ sort, is_descending, grouped }: RunsSearch): RunsSearch {
  return searchOf({ sort, is_descending, grouped });
}

/** Returns the number of conditions with a choice. */
export function conditionsCount(search: RunsSearch): number {
  const lists = listNames.filter((name) => chosenOf(search, name).length > 0).length;
  const isSearched = (search.q ?? "") !== "";
  return (
    lists +
    Number(isSearched) +
    [search.since, search.until, search.archived].filter((value) => value !== undefined).length
  );
}

/** Returns how far a run is, why it failed, or what it achieved. */
export function outcomeOf(run: RunItem): string {
  if (!run.device.host.is_healthy && !isEnded(run.state))
    return `no heartbeat from host ${run.device.host.name} since ${formatTime(run.device.host.heartbeat_at).text}`;
  if (run.state === "failed") return run.message;
  if (run.age_rmse !== null)
    return `age RMSE ${formatFraction(fraction(run.age_rmse)).text.replace(" ", "\u00a0")}`;
  if (run.is_waiting) return "waits for its device";
  if (run.state !== "running") return "";
  const progress = formatFraction(fraction(run.progress_fraction)).text;
  const left = run.eta_s === null ? "" : `, about ${formatDuration(seconds(run.eta_s)).text} left`;
  return `${run.phase ?? "starting"} ${progress}${left}`;
}

/** Returns the predicted time of its aging, marked as predicted: "predicted 1 h 12 min on Hitachi 80 GB". */
export function predictionOf({ model_label, predicted_s, elapsed_s }: Prediction): Formatted {
  const { text, exact } = formatDuration(seconds(predicted_s));
  return {
    text: `predicted ${text.replaceAll(" ", "\u00a0")} on ${model_label}`,
    exact: `Aging took ${formatDuration(seconds(elapsed_s)).text} here; predicted ${exact}, with the waits for the modelled disk`,
  };
}

export const sizeOf = ({ device }: RunItem) => formatBytes(bytes(device.size_bytes));

export interface Group {
  batch_id: number | null;
  runs: readonly RunItem[];
}

/** Returns the runs in groups, each batch, and those of no batch, at the place of the first run. */
export function groupsOf(runs: readonly RunItem[], isGrouped: boolean): Group[] {
  if (!isGrouped) return [{ batch_id: null, runs }];
  const groups: { batch_id: number | null; runs: RunItem[] }[] = [];
  const batches = new Map<number | null, RunItem[]>();
  for (const run of runs) {
    const known = batches.get(run.batch_id);
    if (known !== undefined) {
      known.push(run);
      continue;
    }
    const own = [run];
    batches.set(run.batch_id, own);
    groups.push({ batch_id: run.batch_id, runs: own });
  }
  return groups;
}
