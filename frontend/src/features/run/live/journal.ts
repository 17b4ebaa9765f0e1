// Pure: the known events of a run. Each event once, in order; every gap is reported. The server thins out old samples:
// each event contains the number of the one that it follows.
import type { JobEvent, JobPayload } from "../../../api/client";
import { fold, noFacts, type Facts } from "./facts";

/** Events that are drawn, not listed: the facts contain what they say. */
type Drawn = "sample" | "layout" | "space" | "progress";
export type ListedPayload = Exclude<JobPayload, { type: Drawn }>;
export type ListedEvent = JobEvent & { payload: ListedPayload };

const drawn: Record<Drawn, true> = { sample: true, layout: true, space: true, progress: true };

function isListed(event: JobEvent): event is ListedEvent {
  return !(event.payload.type in drawn);
}

export interface Journal {
  /** The events of the log. */
  events: readonly ListedEvent[];
  facts: Facts;
  last_sequence: number;
}

export const emptyJournal: Journal = { events: [], facts: noFacts, last_sequence: 0 };

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
  const listed = fresh.filter(isListed);
  const events = listed.length === 0 ? journal.events : [...journal.events, ...listed];
  return { journal: { events, facts: fold(journal.facts, fresh), last_sequence }, has_gap };
}

export function hasEnded({ facts }: Journal): boolean {
  return facts.has_ended;
}
