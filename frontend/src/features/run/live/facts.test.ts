// What the events say: each is read once, also over many hours.
import { expect, test } from "vitest";
import type { JobEvent, JobPayload, Run, Sample } from "../../../api/client";
import { append, emptyJournal, type Journal } from "./journal";
import { MOST_SAMPLES } from "./series";
import { telemetryOf } from "./telemetry";

const free = {
  block_size_bytes: 4096,
  free_blocks_count: 9,
  bins: [],
  mean_extent_bytes: 1,
  max_extent_bytes: 1,
};

function sampleAt(ops_count: number, change: Partial<Sample> = {}): Sample {
  return {
    type: "sample",
    phase: "stable",
    ops_count,
    elapsed_s: ops_count / 10,
    progress_fraction: 0.5,
    eta_s: null,
    ops_per_s: 10,
    live_files_count: 1,
    live_bytes: 1,
    fullness: 0.7,
    fullness_statfs: null,
    overwrites: 1,
    no_space_count: 0,
    histograms: null,
    ...change,
  };
}

function layoutAt(ops_count: number, extents_count: number) {
  return {
    type: "layout",
    ops_count,
    elapsed_s: ops_count / 10,
    free_extents: { ...free, extents_count },
    files: null,
    block_map: null,
    layout_digest: null,
  } satisfies JobPayload;
}

const control = (line: string, message: string | null = null): JobPayload => ({
  type: "control",
  line,
  message,
});
const moved = (state: "queued" | "running" | "interrupted" | "succeeded"): JobPayload => ({
  type: "state",
  state,
  phase: null,
  message: state,
});

let reads = 0;
/** Returns events that count each reading of what they say. */
function eventsOf(payloads: readonly JobPayload[], after = 0): JobEvent[] {
  return payloads.map((payload, index) => ({
    job_id: 1,
    sequence: after + index + 1,
    follows: after + index,
    at: "2026-11-20T19:30:56Z",
    get payload() {
      reads += 1;
      return payload;
    },
  }));
}

function journalOf(payloads: readonly JobPayload[]): Journal {
  return append(emptyJournal, eventsOf(payloads)).journal;
}

const run = { state: "queued", phase: null, plan: null, summary: null } as unknown as Run;

test("after twenty hours of samples a flush reads its own events alone", () => {
  const hours = Array.from({ length: 36_000 }, (_, row) => sampleAt(row + 1));
  let journal = emptyJournal;
  for (let at = 0; at < hours.length; at += 2_000)
    journal = append(journal, eventsOf(hours.slice(at, at + 2_000), at)).journal;
  expect(journal.facts.samples_count).toBe(36_000);
  reads = 0;
  const fresh = eventsOf([sampleAt(36_001), sampleAt(36_002)], 36_000);
  const telemetry = telemetryOf(run, append(journal, fresh).journal);
  const perEvent = 8;
  expect(reads).toBeLessThanOrEqual(fresh.length * perEvent);
  expect(telemetry.series.ops_count.at(-1)).toBe(36_002);
  expect(telemetry.samples_count).toBe(36_002);
});

test("a page that is open for days keeps a bounded number of samples, with all recent ones", () => {
  let journal = emptyJournal;
  for (let at = 0; at < 60_000; at += 3_000)
    journal = append(
      journal,
      eventsOf(
        Array.from({ length: 3_000 }, (_, row) => sampleAt(at + row + 1)),
        at,
      ),
    ).journal;
  const { ops_count } = journal.facts.series;
  expect(ops_count.length).toBeLessThanOrEqual(MOST_SAMPLES);
  expect(ops_count[0]).toBe(1);
  expect(ops_count.slice(-1_000)).toEqual(Array.from({ length: 1_000 }, (_, row) => 59_001 + row));
  expect(journal.events).toEqual([]);
});

test("folding in one batch and event by event has the same result", () => {
  const payloads = [
    moved("running"),
    sampleAt(10),
    layoutAt(10, 3),
    control("pause"),
    control("resume"),
    sampleAt(20),
    layoutAt(20, 5),
    moved("interrupted"),
    moved("queued"),
    sampleAt(15),
    layoutAt(16, 4),
    sampleAt(30),
    moved("succeeded"),
  ];
  const events = eventsOf(payloads);
  let one = emptyJournal;
  for (const event of events) one = append(one, [event]).journal;
  const all = append(emptyJournal, events).journal;
  expect(one.facts).toEqual(all.facts);
  expect(all.facts.series.ops_count).toEqual([10, 15, 30]);
  expect(all.facts.layouts.map(({ ops_count }) => ops_count)).toEqual([10, 16]);
});

test("an earlier journal stays as it was when events are appended", () => {
  const early = journalOf([sampleAt(10), sampleAt(20)]);
  const later = append(early, eventsOf([sampleAt(15)], 2)).journal;
  expect(early.facts.series.ops_count).toEqual([10, 20]);
  expect(later.facts.series.ops_count).toEqual([10, 15]);
});

test("pauses, changed conditions and interruptions are marked where they happened", () => {
  const { facts } = journalOf([
    sampleAt(10),
    control("pause"),
    control("resume"),
    sampleAt(20),
    control("max-seconds 9"),
    control("max-rmse 0.1"),
    control("max-overwrites 2", "not now"),
    sampleAt(30),
    moved("interrupted"),
  ]);
  expect(facts.marks.map(({ kind, ops_count }) => [kind, ops_count])).toEqual([
    ["paused", 10],
    ["resumed", 10],
    ["revised", 20],
    ["interrupted", 30],
  ]);
});

test("the journal is newer than the row, and a run that goes on has no summary", () => {
  const row = { ...run, state: "succeeded", summary: { type: "summary" } } as unknown as Run;
  expect(telemetryOf(row, emptyJournal)).toMatchObject({ state: "succeeded", summary: { type: "summary" } });
  const resumed = journalOf([moved("queued")]);
  expect(telemetryOf(row, resumed)).toMatchObject({ state: "queued", summary: null });
});

test("of the spaces the newest is known", () => {
  const cells = { device_bytes: 4096, block_size_bytes: 4096, cell_bytes: 4096, free_blocks: [1] };
  const space = (ops_count: number): JobPayload => ({ type: "space", ops_count, elapsed_s: 1, ...cells });
  expect(journalOf([space(1), space(2)]).facts.space?.ops_count).toBe(2);
});
