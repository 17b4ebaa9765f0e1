// The edits of a draft, all of which can be undone.
import { expect, test } from "vitest";
import { contentOf, histogramsOf, totalOf, type EditedBins, type EditedHistograms } from "./bin";
import { draftFrom, draftOf, reduce, STEPS_LIMIT, type Draft, type DraftAction } from "./draft";
import { flawsOf, limits } from "./flaw";

const start: EditedHistograms = histogramsOf({
  size: [
    { bytes: 1024, weight: 2 },
    { bytes: 4096, weight: 6 },
    { bytes: 65536, weight: 4 },
  ],
  depth: [
    { depth: 0, weight: 1, subdirs: 1 },
    { depth: 1, weight: 3, subdirs: 5 },
  ],
  age: [
    { age: 10, weight: 1 },
    { age: 1000, weight: 3 },
  ],
});

function after(...actions: DraftAction[]): Draft {
  return actions.reduce(reduce, draftOf(start));
}

const edges = (bins: EditedBins) => bins.map(({ edge }) => edge);
const weights = (bins: EditedBins) => bins.map(({ weight }) => weight);

test("what the editor holds is what the API has", () => {
  expect(histogramsOf(contentOf(start))).toEqual(start);
});

test("a weight, an edge and a count of directories are set; the other histograms stay the very same", () => {
  const { histograms } = after(
    { type: "set_weight", histogram: "depth", index: 1, weight: 9 },
    { type: "set_edge", histogram: "depth", index: 1, edge: 3 },
    { type: "set_subdirs", histogram: "depth", index: 1, subdirs: 7 },
  );
  expect(histograms.depth[1]).toEqual({ edge: 3, weight: 9, subdirs: 7 });
  expect(histograms.size).toBe(start.size);
  expect(histograms.age).toBe(start.age);
});

test("a weight does not go below nothing", () => {
  expect(
    after({ type: "set_weight", histogram: "size", index: 0, weight: -3 }).histograms.size[0]?.weight,
  ).toBe(0);
});

test("a new bin lies between its neighbours as the axis sees it, or one step beyond the last", () => {
  const between = after({ type: "insert", histogram: "size", index: 0 }).histograms.size;
  expect(edges(between)).toEqual([1024, 2048, 4096, 65536]);
  expect(weights(between)).toEqual([2, 0, 6, 4]);
  const beyond = after({ type: "insert", histogram: "size", index: 2 }).histograms.size;
  expect(beyond.at(-1)?.edge).toBe(65536 * 16);
  expect(edges(after({ type: "insert", histogram: "age", index: 0 }).histograms.age)).toEqual([
    10, 100, 1000,
  ]);
});

test("where there is no room for a bin, nothing is done and nothing is to be undone", () => {
  const draft = after({ type: "insert", histogram: "depth", index: 0 });
  expect(draft.histograms).toBe(start);
  expect(draft.past).toEqual([]);
});

test("a split keeps the sum, and gives half to the lower half of the bin", () => {
  const size = after({ type: "split", histogram: "size", index: 2 }).histograms.size;
  expect(edges(size)).toEqual([1024, 4096, 16384, 65536]);
  expect(weights(size)).toEqual([2, 6, 2, 2]);
  const lowest = after({ type: "split", histogram: "size", index: 0 }).histograms.size;
  expect(edges(lowest)).toEqual([512, 1024, 4096, 65536]);
});

test("merged bins keep their files, their directories and their mean", () => {
  const size = after({ type: "merge", histogram: "size", first: 0, last: 1 }).histograms.size;
  expect(size).toEqual([
    { edge: 3328, weight: 8, subdirs: 0 },
    { edge: 65536, weight: 4, subdirs: 0 },
  ]);
  expect(after({ type: "merge", histogram: "depth", first: 0, last: 1 }).histograms.depth).toEqual([
    { edge: 1, weight: 4, subdirs: 6 },
  ]);
  expect(after({ type: "merge", histogram: "age", first: 0, last: 1 }).histograms.age).toEqual([
    { edge: 1000, weight: 4, subdirs: 0 },
  ]);
});

test("bins are removed, but never all of them", () => {
  expect(edges(after({ type: "remove", histogram: "size", first: 0, last: 1 }).histograms.size)).toEqual([
    65536,
  ]);
  expect(after({ type: "remove", histogram: "size", first: 0, last: 2 }).histograms).toBe(start);
});

test("a selection is scaled, the rest is not", () => {
  const draft = after({ type: "scale", histogram: "size", first: 1, last: 2, factor: 0.5 });
  expect(weights(draft.histograms.size)).toEqual([2, 3, 2]);
});

test("smoothing spreads weight inside the selection and keeps its sum", () => {
  const { size } = after({ type: "smooth", histogram: "size", first: 0, last: 2 }).histograms;
  expect(weights(size)).toEqual([3, 4.5, 4.5]);
  expect(totalOf(size)).toBe(totalOf(start.size));
});

test("everything is undone and redone, step by step, and a new edit ends what could be redone", () => {
  const actions: DraftAction[] = [
    { type: "set_weight", histogram: "size", index: 0, weight: 5 },
    { type: "split", histogram: "age", index: 1 },
    { type: "merge", histogram: "size", first: 1, last: 2 },
    { type: "replace", histograms: { depth: start.depth.slice(1) }, by: "what was pasted" },
  ];
  const states = actions.map((_, index) => after(...actions.slice(0, index + 1)).histograms);
  let draft = after(...actions);
  expect(draft.past.at(-1)?.title).toBe("what was pasted");
  for (const expected of [...states.slice(0, -1).reverse(), start]) {
    draft = reduce(draft, { type: "undo" });
    expect(draft.histograms).toEqual(expected);
  }
  expect(reduce(draft, { type: "undo" })).toBe(draft);
  for (const expected of states) {
    draft = reduce(draft, { type: "redo" });
    expect(draft.histograms).toEqual(expected);
  }
  expect(reduce(draft, { type: "redo" })).toBe(draft);
  const branched = reduce(reduce(draft, { type: "undo" }), {
    type: "set_weight",
    histogram: "age",
    index: 0,
    weight: 8,
  });
  expect(branched.future).toEqual([]);
});

test("one drag is one step, the next one is another", () => {
  const move = (weight: number, gesture: number): DraftAction => ({
    type: "set_weight",
    histogram: "size",
    index: 0,
    weight,
    gesture,
  });
  const draft = after(move(3, 1), move(4, 1), move(5, 1), move(6, 2), move(7, 2));
  expect(draft.past.length).toBe(2);
  expect(reduce(draft, { type: "undo" }).histograms.size[0]?.weight).toBe(5);
});

test("only so many steps are remembered", () => {
  const actions = Array.from({ length: STEPS_LIMIT + 20 }, (_, index): DraftAction => ({
    type: "set_weight",
    histogram: "size",
    index: 0,
    weight: index + 3,
  }));
  expect(after(...actions).past.length).toBe(STEPS_LIMIT);
});

test("a draft that was kept over a reload is one undo away from what it was begun from", () => {
  const kept = after({ type: "remove", histogram: "size", first: 0, last: 0 }).histograms;
  const draft = draftFrom(start, kept);
  expect(draft.histograms).toBe(kept);
  expect(reduce(draft, { type: "undo" }).histograms).toBe(start);
  expect(draftFrom(start, { ...start }).past).toEqual([]);
});

test("a good histogram has no flaw; a bad bin is named with its field", () => {
  expect(flawsOf("size", start.size)).toEqual([]);
  const descending = after({ type: "set_edge", histogram: "size", index: 1, edge: 512 }).histograms.size;
  expect(flawsOf("size", descending)).toMatchObject([{ histogram: "size", index: 1, field: "edge" }]);
  expect(flawsOf("size", descending)[0]?.message).toContain("greater than 1 KiB");
  const broken = after({ type: "set_edge", histogram: "depth", index: 1, edge: 1.5 }).histograms.depth;
  expect(flawsOf("depth", broken)).toMatchObject([{ index: 1, field: "edge" }]);
  const odd = after({ type: "set_subdirs", histogram: "depth", index: 0, subdirs: -1 }).histograms.depth;
  expect(flawsOf("depth", odd)).toMatchObject([{ index: 0, field: "subdirs" }]);
});

test("an age of nothing, no weight at all and too many bins are flaws", () => {
  expect(flawsOf("age", [{ edge: 0, weight: 1, subdirs: 0 }])).toMatchObject([{ index: 0, field: "edge" }]);
  expect(flawsOf("size", [{ edge: 1, weight: 0, subdirs: 0 }])).toMatchObject([
    { index: null, field: "weight" },
  ]);
  const many = Array.from({ length: limits.size.bins + 1 }, (_, edge) => ({ edge, weight: 1, subdirs: 0 }));
  expect(flawsOf("size", many)[0]?.message).toContain("257 bins");
  expect(flawsOf("size", [])).toMatchObject([{ index: null }]);
});
