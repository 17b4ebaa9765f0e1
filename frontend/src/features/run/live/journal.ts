// Pure: the known events of a run. Each event once, in order; every gap is reported. The server thins out old samples:
// each event contains the number of the one that it follows.
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

/** Appends events that follow the known ones; drops known events and those beyond a gap. */
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

/** Drops all spaces but the newest, the only one drawn: a space has kilobytes, comes every other second, for days. */
function withNewestSpace(events: readonly JobEvent[]): readonly JobEvent[] {
  const newest = events.findLast(({ payload }) => payload.type === "space");
  return newest === undefined
    ? events
    : events.filter((event) => event.payload.type !== "space" || event === newest);
}

export function hasEnded(journal: Journal): boolean {
  return journal.events.some(({ payload }) => payload.type === "state" && isEnded(payload.state));
}
