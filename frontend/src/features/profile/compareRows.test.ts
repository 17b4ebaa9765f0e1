// The shares of two profiles at the edges of both.
import { expect, test } from "vitest";
import { compared, isSame } from "./compareRows";

const binsOf = (weights: Record<number, number>) =>
  Object.entries(weights).map(([edge, weight]) => ({ edge: Number(edge), weight, subdirs: 0 }));

test("with equal edges the shares are those of the bins", () => {
  const found = compared("size", binsOf({ 1024: 1, 2048: 3 }), binsOf({ 1024: 1, 2048: 1 }));
  expect(found.rows).toEqual([
    { edge: 1024, left: 0.25, right: 0.5 },
    { edge: 2048, left: 0.75, right: 0.5 },
  ]);
  expect(found.hasSameEdges).toBe(true);
  expect(found.rows.map(isSame)).toEqual([false, false]);
  expect(found.distance).toBeCloseTo(0.25);
});

test("a bin that the other profile divides is drawn at its own share, over the parts", () => {
  const found = compared("size", binsOf({ 1024: 1, 4096: 1 }), binsOf({ 1024: 2, 2048: 1, 4096: 1 }));
  expect(found.left).toEqual([
    { first: 0, last: 0, share: 0.5 },
    { first: 1, last: 2, share: 0.5 },
  ]);
  expect(found.right.map(({ share }) => share)).toEqual([0.5, 0.25, 0.25]);
  expect(found.hasSameEdges).toBe(false);
  expect(found.distance).toBeCloseTo(0);
});

test("a bin made wider and higher is the higher one in the comparison too", () => {
  const first = binsOf({ 1024: 1, 4096: 2, 8192: 2, 16384: 3 });
  const found = compared("size", first, binsOf({ 1024: 1, 8192: 5, 16384: 3 }));
  const highest = found.right.toSorted((a, b) => b.share - a.share)[0];
  expect(highest).toMatchObject({ first: 1, last: 2 });
  expect(Math.max(...found.left.map(({ share }) => share))).toBeLessThan(highest?.share ?? 0);
});

test("every share is on the axis, where no edge of the two is the same", () => {
  const found = compared("age", binsOf({ 10: 3, 1000: 1 }), binsOf({ 3: 1, 30: 1, 300: 2 }));
  for (const blocks of [found.left, found.right])
    expect(blocks.reduce((total, { share }) => total + share, 0)).toBeCloseTo(1);
  expect(found.left).toEqual([
    { first: 0, last: 1, share: 0.75 },
    { first: 2, last: 4, share: 0.25 },
  ]);
  expect(found.rows.at(-1)).toMatchObject({ edge: 1000, right: null });
});

test("a depth that one of them lacks is no bin: depths are not spread", () => {
  const found = compared("depth", binsOf({ 0: 1, 2: 1 }), binsOf({ 0: 1, 1: 1 }));
  expect(found.rows).toEqual([
    { edge: 0, left: 0.5, right: 0.5 },
    { edge: 1, left: null, right: 0.5 },
    { edge: 2, left: 0.5, right: null },
  ]);
  expect(found.left.map(({ first, last }) => [first, last])).toEqual([
    [0, 0],
    [2, 2],
  ]);
  expect(found.distance).toBeCloseTo(0.5);
});
