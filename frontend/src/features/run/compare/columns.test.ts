import { expect, test } from "vitest";
import type { JobEvent, JobPayload } from "../../../api/client";
import { freeExtentsOf, lastKnown, level, newest, together } from "./columns";

const short = { x: [10, 20], y: [1, 2] };
const long = { x: [0, 10, 15, 30], y: [5, null, 7, 8] };

test("curves with other points share one axis, and each keeps its own", () => {
  expect(together([short, long])).toEqual([
    [0, 10, 15, 20, 30],
    [null, 1, null, 2, null],
    [5, null, 7, null, 8],
  ]);
});

test("runs without a sample have a plot all the same", () => {
  expect(together([{ x: [], y: [] }, short])).toEqual([
    [10, 20],
    [null, null],
    [1, 2],
  ]);
  expect(together([])).toEqual([[]]);
});

test("under the pointer stands what was measured last, and nothing where a run was not", () => {
  const [, ofShort = [], ofLong = []] = together([short, long]);
  expect([0, 1, 2, 3, 4].map((row) => lastKnown(ofShort, row))).toEqual([null, 1, 1, 2, null]);
  expect([0, 1, 2, 3, 4].map((row) => lastKnown(ofLong, row))).toEqual([5, 5, 7, 7, 8]);
  expect([newest(ofShort), newest([null])]).toEqual([2, null]);
});

test("a level spans all curves, and is not drawn where there is none", () => {
  expect(level(0.7, [short, long])).toEqual({ x: [0, 30], y: [0.7, 0.7] });
  expect(level(0.7, [{ x: [4], y: [1] }])).toEqual({ x: [4], y: [0.7] });
  expect(level(0.7, [])).toEqual({ x: [], y: [] });
  expect(level(null, [short])).toEqual({ x: [], y: [] });
});

function layout(ops_count: number, extents_count: number): JobEvent {
  const free_extents = { extents_count, block_size_bytes: 4096, free_blocks_count: 9, bins: [] };
  const payload = {
    type: "layout",
    ops_count,
    elapsed_s: 1,
    free_extents: { ...free_extents, mean_extent_bytes: 1, max_extent_bytes: 1 },
    files: null,
    block_map: null,
    layout_digest: null,
  } satisfies JobPayload;
  return { job_id: 1, sequence: ops_count, follows: 0, at: "2026-11-20T19:30:56Z", payload };
}

test("a resumed run's free extents are those of its second attempt", () => {
  const events = [layout(10, 3), layout(20, 5), layout(30, 6), layout(20, 4), layout(30, 9)];
  expect(freeExtentsOf({ events, last_sequence: 5 })).toEqual({ x: [10, 20, 30], y: [3, 4, 9] });
});
