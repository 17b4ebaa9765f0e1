// Pure: what is known of a run's events. Each event once, in order; a gap is reported, never papered over. Old samples are
// thinned out on the server: each event says which one it follows.
import type { JobEvent } from "../../../api/client";
import { isEnded } from "../../../shared/job";

export interface Journal {
  events: readonly JobEvent[];
  last_sequence: number;
}

export const emptyJournal: Journal = { events: [], last_sequence: 0 };

export interface Appended {
  journal: Journal;
  has_gap: boolean;
}

/** Takes what follows on what is known; what is known already is dropped, what lies beyond a gap as well. */
export function append(journal: Journal, incoming: readonly JobEvent[]): Appended {
  const fresh: JobEvent[] = [];
  let last_sequence = journal.last_sequence;
  let has_gap = false;
  for (const event of [...incoming].sort((a, b) => a.sequence - b.sequence)) {
    if (event.sequence <= last_sequence) continue;
    if (event.follows > last_sequence) {
      has_gap = true;
      break;
    }
    fresh.push(event);
    last_sequence = event.sequence;
  }
  if (fresh.length === 0) return { journal, has_gap };
  return { journal: { events: withNewestSpace([...journal.events, ...fresh]), last_sequence }, has_gap };
}

/** A space is of kilobytes, comes every other second, and only the newest is drawn: a page is open for days. */
function withNewestSpace(events: readonly JobEvent[]): readonly JobEvent[] {
  const newest = events.findLast(({ payload }) => payload.type === "space");
  return newest === undefined
    ? events
    : events.filter((event) => event.payload.type !== "space" || event === newest);
}

export function hasEnded(journal: Journal): boolean {
  return journal.events.some(({ payload }) => payload.type === "state" && isEnded(payload.state));
}
