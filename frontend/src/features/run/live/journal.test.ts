// Each event once, in order, and every gap reported.
import { expect, test } from "vitest";
import type { JobEvent, JobState } from "../../../api/client";
import { append, emptyJournal, hasEnded } from "./journal";

function step(sequence: number): JobEvent {
  return {
    job_id: 1,
    sequence,
    follows: sequence - 1,
    at: "2026-11-20T19:30:56Z",
    payload: { type: "step", message: `step ${sequence}` },
  };
}

function moved(sequence: number, state: JobState): JobEvent {
  return { ...step(sequence), payload: { type: "state", state, phase: null, message: state } };
}

const sequences = (events: readonly JobEvent[]) => events.map(({ sequence }) => sequence);

test("events follow on each other", () => {
  const { journal, has_gap } = append(emptyJournal, [step(1), step(2)]);
  expect(sequences(journal.events)).toEqual([1, 2]);
  expect(journal.last_sequence).toBe(2);
  expect(has_gap).toBe(false);
});

test("an event that is known already is dropped", () => {
  const { journal } = append(emptyJournal, [step(1), step(2)]);
  const again = append(journal, [step(1), step(2), step(2)]);
  expect(again.journal).toBe(journal);
  expect(again.has_gap).toBe(false);
});

test("events out of order within a batch are put in order", () => {
  const { journal, has_gap } = append(emptyJournal, [step(3), step(1), step(2), step(2)]);
  expect(sequences(journal.events)).toEqual([1, 2, 3]);
  expect(has_gap).toBe(false);
});

test("what lies beyond a gap is not taken, and the gap is reported", () => {
  const { journal, has_gap } = append(emptyJournal, [step(1), step(3), step(4)]);
  expect(sequences(journal.events)).toEqual([1]);
  expect(has_gap).toBe(true);
});

test("a run has ended once a final state is in its journal; an interrupted one may go on", () => {
  const running = append(emptyJournal, [moved(1, "queued"), moved(2, "running")]).journal;
  expect(hasEnded(running)).toBe(false);
  expect(hasEnded(append(running, [moved(3, "interrupted")]).journal)).toBe(false);
  for (const state of ["succeeded", "failed", "canceled"] as const) {
    expect(hasEnded(append(running, [moved(3, state)]).journal)).toBe(true);
  }
});

test("samples that were thinned out are no gap", () => {
  const thinned = { ...step(9), follows: 2 };
  const { journal, has_gap } = append(emptyJournal, [step(1), step(2), thinned, step(10)]);
  expect(has_gap).toBe(false);
  expect(sequences(journal.events)).toEqual([1, 2, 9, 10]);
});

test("the log has what is said, not what is drawn", () => {
  const cells = { device_bytes: 4096, block_size_bytes: 4096, cell_bytes: 4096, free_blocks: [1] };
  const space: JobEvent = { ...step(2), payload: { type: "space", ops_count: 2, elapsed_s: 1, ...cells } };
  const { journal } = append(emptyJournal, [step(1), space, step(3)]);
  expect(sequences(journal.events)).toEqual([1, 3]);
  expect(journal.last_sequence).toBe(3);
  expect(append(journal, [{ ...space, sequence: 4, follows: 3 }]).journal.events).toBe(journal.events);
});
