// @vitest-environment jsdom
// A run's feed against a server that drops, repeats, reorders, restarts. Only the network is simulated.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal, type JobEvent } from "../../../api/client";
import { RunFeed, type EventPage, type Listener, type Source, type Stream } from "./feed";

function step(sequence: number): JobEvent {
  return {
    job_id: 1,
    sequence,
    follows: sequence - 1,
    at: "2026-11-20T19:30:56Z",
    payload: { type: "step", message: `step ${sequence}` },
  };
}

function ended(sequence: number): JobEvent {
  return {
    ...step(sequence),
    payload: { type: "state", state: "succeeded", phase: "capture", message: "done" },
  };
}

class Server implements Source {
  stored: JobEvent[] = [];
  pageLimit = 1_000;
  refusal: Refusal | null = null;
  streams: { after: number; on: Listener; readyState: number; close: () => void }[] = [];

  readPage = (after: number): Promise<EventPage> => {
    if (this.refusal !== null) return Promise.reject(this.refusal);
    const items = this.stored.filter(({ sequence }) => sequence > after).slice(0, this.pageLimit);
    return Promise.resolve({ items, last_sequence: this.stored.at(-1)?.sequence ?? 0 });
  };

  openStream = (after: number, on: Listener): Stream => {
    const stream = { after, on, readyState: 1, close: () => void (stream.readyState = 2) };
    this.streams.push(stream);
    on.open();
    return stream;
  };

  get stream() {
    const last = this.streams.at(-1);
    if (last === undefined) throw new Error("no stream was opened");
    return last;
  }

  send(...events: JobEvent[]) {
    events.forEach((event) => this.stream.on.message(JSON.stringify(event)));
  }
}

let server: Server;
let feed: RunFeed;
const known = () => feed.getSnapshot().journal.events.map(({ sequence }) => sequence);
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  feed = new RunFeed(server);
});
afterEach(() => {
  feed.stop();
  vi.useRealTimers();
});

test("stored pages come first, then the stream from where they ended", async () => {
  server.stored = [1, 2, 3, 4, 5].map(step);
  server.pageLimit = 2;
  feed.start();
  await settle();
  expect(known()).toEqual([1, 2, 3, 4, 5]);
  expect(server.stream.after).toBe(5);
  server.send(step(6), step(7));
  await settle(100);
  expect(known()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(feed.getSnapshot().connection).toBe("live");
});

test("events that the stream repeats are counted once", async () => {
  server.stored = [1, 2].map(step);
  feed.start();
  await settle();
  server.send(step(2), step(3), step(3));
  await settle(100);
  expect(known()).toEqual([1, 2, 3]);
});

test("a gap in the stream is filled from what is stored", async () => {
  feed.start();
  await settle();
  server.stored = [1, 2, 3, 4].map(step);
  server.send(step(1), step(4));
  await settle(100);
  expect(known()).toEqual([1, 2, 3, 4]);
  expect(server.stream.after).toBe(4);
  expect(server.streams[0]?.readyState).toBe(2);
});

test("a run that has ended is read, not followed", async () => {
  server.stored = [step(1), ended(2)];
  feed.start();
  await settle();
  expect(feed.getSnapshot().connection).toBe("ended");
  expect(server.streams).toHaveLength(0);
});

test("the terminal event closes the stream", async () => {
  feed.start();
  await settle();
  server.send(step(1), ended(2));
  await settle(100);
  expect(feed.getSnapshot().connection).toBe("ended");
  expect(server.stream.readyState).toBe(2);
});

test("while the browser reconnects the page shows it, and nothing is lost", async () => {
  feed.start();
  await settle();
  server.send(step(1));
  server.stream.readyState = 0;
  server.stream.on.error();
  expect(feed.getSnapshot().connection).toBe("reconnecting");
  expect(known()).toEqual([1]);
  server.stream.on.open();
  server.send(step(2));
  await settle(100);
  expect(known()).toEqual([1, 2]);
  expect(feed.getSnapshot().connection).toBe("live");
});

test("a stream that the browser gave up is opened anew after reading what was missed", async () => {
  feed.start();
  await settle();
  server.stored = [1, 2, 3].map(step);
  server.stream.readyState = 2;
  server.stream.on.error();
  await settle(1_000);
  expect(known()).toEqual([1, 2, 3]);
  expect(server.streams).toHaveLength(2);
  expect(server.stream.after).toBe(3);
});

test("a server that does not answer is asked again until it does", async () => {
  server.refusal = new Refusal("unreachable", 0, "No answer", "no answer");
  feed.start();
  await settle();
  expect(feed.getSnapshot().connection).toBe("reconnecting");
  server.refusal = null;
  server.stored = [step(1)];
  await settle(1_000);
  expect(known()).toEqual([1]);
  expect(feed.getSnapshot().connection).toBe("live");
});

test("an unknown run is reported, not asked for again", async () => {
  server.refusal = new Refusal("job_unknown", 404, "Job unknown", "There is no run 9.");
  feed.start();
  await settle(5_000);
  expect(feed.getSnapshot()).toMatchObject({ connection: "failed", error: server.refusal });
});

test("a feed that was stopped and started again goes on where it was", async () => {
  server.stored = [step(1)];
  feed.start();
  await settle();
  feed.stop();
  server.stored.push(step(2));
  feed.start();
  await settle();
  expect(known()).toEqual([1, 2]);
});
