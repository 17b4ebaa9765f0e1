// @vitest-environment jsdom
// Several runs over one connection that drops, is refused, and returns. Only the network is simulated.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobEvent } from "../../../api/client";
import type { Listener, Source } from "../live/feed";
import { RunFeeds, SharedStream } from "./feeds";

const CLOSED = 2;

function step(run_id: number, sequence: number): JobEvent {
  const payload = { type: "step", message: `step ${sequence}` } as const;
  return { job_id: run_id, sequence, follows: sequence - 1, at: "2026-11-20T19:30:56Z", payload };
}

function ended(run_id: number, sequence: number): JobEvent {
  const payload = { type: "state", state: "succeeded", phase: "capture", message: "done" } as const;
  return { ...step(run_id, sequence), payload };
}

let opened: { follow: readonly string[]; on: Listener; readyState: number; close: () => void }[];
let stored: JobEvent[];
let feeds: RunFeeds;
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const known = () => feeds.getSnapshot().map(({ journal }) => journal.last_sequence);
const open = () => opened.filter(({ readyState }) => readyState !== CLOSED);
const send = (...events: JobEvent[]) =>
  events.forEach((event) => open()[0]?.on.message(JSON.stringify(event)));

function follow(run_ids: readonly number[]): RunFeeds {
  const shared = new SharedStream((wanted, on) => {
    const stream = { follow: wanted, on, readyState: 1, close: () => void (stream.readyState = CLOSED) };
    opened.push(stream);
    on.open();
    return stream;
  });
  const sourceOf = (run_id: number): Source => ({
    readPage: (after) => {
      const items = stored.filter((event) => event.job_id === run_id && event.sequence > after);
      return Promise.resolve({ items, last_sequence: items.at(-1)?.sequence ?? after });
    },
    openStream: (after, on) => shared.follow(run_id, after, on),
  });
  return new RunFeeds(run_ids.map(sourceOf));
}

beforeEach(() => {
  vi.useFakeTimers();
  opened = [];
  stored = [step(3, 1), step(3, 2), step(5, 1)];
  feeds = follow([3, 5]);
  feeds.start();
});
afterEach(() => {
  feeds.stop();
  vi.useRealTimers();
});

test("what is stored comes first, then one connection follows all from where they are", async () => {
  await settle(500);
  expect(known()).toEqual([2, 1]);
  expect(opened.map(({ follow: wanted }) => wanted)).toEqual([["3:2", "5:1"]]);
  send(step(5, 2), step(3, 3), step(5, 3));
  await settle(500);
  expect(known()).toEqual([3, 3]);
});

test("a run that has ended leaves, and the others go on over the same connection", async () => {
  await settle(500);
  send(ended(3, 3), step(5, 2));
  await settle(500);
  expect(feeds.getSnapshot().map(({ connection }) => connection)).toEqual(["ended", "live"]);
  expect(opened).toHaveLength(1);
  send(ended(5, 3));
  await settle(500);
  expect(open()).toEqual([]);
});

test("runs that have ended need no connection", async () => {
  feeds.stop();
  stored.push(ended(3, 3), ended(5, 2));
  feeds = follow([3, 5]);
  feeds.start();
  await settle(500);
  expect(known()).toEqual([3, 2]);
  expect(opened).toEqual([]);
});

test("after a refused connection all read again what they missed, and share a new one", async () => {
  await settle(500);
  stored.push(step(3, 3), step(5, 2));
  const [first] = opened;
  first?.close();
  first?.on.error();
  await settle(2_000);
  expect(known()).toEqual([3, 2]);
  expect(open().map(({ follow: wanted }) => wanted)).toEqual([["3:3", "5:2"]]);
});

test("a follower that stops leaves no connection open", async () => {
  await settle(500);
  feeds.stop();
  await settle(500);
  expect(open()).toEqual([]);
});
