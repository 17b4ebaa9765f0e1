// Pure: what is known of a run's events. Each event once, in order, no gap; a gap is reported, never papered over.
import type { RunEvent, RunState } from "../../api/client";

export interface Journal {
  events: readonly RunEvent[];
  last_sequence: number;
}

export const emptyJournal: Journal = { events: [], last_sequence: 0 };

export interface Appended {
  journal: Journal;
  has_gap: boolean;
}

/** Takes what follows on what is known; what is known already is dropped, what lies beyond a gap as well. */
export function append(journal: Journal, incoming: readonly RunEvent[]): Appended {
  const fresh: RunEvent[] = [];
  let last_sequence = journal.last_sequence;
  let has_gap = false;
  for (const event of [...incoming].sort((a, b) => a.sequence - b.sequence)) {
    if (event.sequence <= last_sequence) continue;
    if (event.sequence > last_sequence + 1) {
      has_gap = true;
      break;
    }
    fresh.push(event);
    last_sequence = event.sequence;
  }
  if (fresh.length === 0) return { journal, has_gap };
  return { journal: { events: [...journal.events, ...fresh], last_sequence }, has_gap };
}

const terminal: ReadonlySet<RunState> = new Set(["succeeded", "failed", "canceled", "interrupted"]);

export function isTerminal(state: RunState): boolean {
  return terminal.has(state);
}

export function hasEnded(journal: Journal): boolean {
  return journal.events.some(({ payload }) => payload.type === "state" && isTerminal(payload.state));
}
