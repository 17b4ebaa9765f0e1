// Texts for batches.
import type { Batch, JobState } from "../../api/client";
import { goalOf as goalOfRun } from "../../shared/goal";

/** Returns the states of its runs: 2 running, 1 succeeded. */
export function statesOf({ runs }: Pick<Batch, "runs">): string {
  const counts = new Map<JobState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}

/** Returns the goal: Agrawal 2007 at 70 %, seed 7, on 3 devices. Every run has the shared settings. */
export function goalOf({ runs }: Batch): string {
  const [first] = runs;
  if (first === undefined) return "";
  return `${goalOfRun(first)}, seed ${first.seed}, on ${runs.length} devices`;
}

/** Returns the name or the note that all its runs have; empty: they have none, or another each. */
export function sharedBy({ runs }: Pick<Batch, "runs">, text: "name" | "note"): string {
  const [first = ""] = runs.map((run) => run[text]);
  return runs.every((run) => run[text] === first) ? first : "";
}
