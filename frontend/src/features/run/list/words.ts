// Pure: the list of runs in words, and its search for the API.
import type { Prediction, RunItem, RunQuery, RunSort } from "../../../api/client";
import { isEnded } from "../../../shared/job";
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
import { listNames, searchOf, sorts, type ListName, type RunsSearch } from "./search";

/** The element of the list that begins a choice of runs: as the hash of the address, it gets the focus. */
export const CHOICE_OF_RUNS = "choose";

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
