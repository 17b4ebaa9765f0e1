// The shares of two profiles at the edges of both.
import { expect, test } from "vitest";
import { distanceOf, isSame, rowsOf } from "./compareRows";

const binsOf = (weights: Record<number, number>) =>
  Object.entries(weights).map(([edge, weight]) => ({ edge: Number(edge), weight, subdirs: 0 }));

test("with equal edges the shares are those of the bins", () => {
  const { rows } = rowsOf("size", binsOf({ 1024: 1, 2048: 3 }), binsOf({ 1024: 1, 2048: 1 }));
  expect(rows).toEqual([
    { edge: 1024, width: 1, left: 0.25, right: 0.5 },
    { edge: 2048, width: 1, left: 0.75, right: 0.5 },
  ]);
  expect(rows.map(isSame)).toEqual([false, false]);
  expect(distanceOf(rows)).toBeCloseTo(0.25);
});

test("a bin that the other profile divides is spread over the parts: nothing is lost, and no gap is drawn", () => {
  const { rows } = rowsOf("size", binsOf({ 1024: 1, 4096: 1 }), binsOf({ 1024: 2, 2048: 1, 4096: 1 }));
  expect(rows.map(({ left }) => left)).toEqual([0.5, 0.25, 0.25]);
  expect(rows.map(({ width }) => width)).toEqual([2, 1, 1]);
  expect(rows.every(isSame)).toBe(true);
  expect(distanceOf(rows)).toBeCloseTo(0);
});

test("every share is on the axis, where no edge of the two is the same", () => {
  const { rows } = rowsOf("age", binsOf({ 10: 3, 1000: 1 }), binsOf({ 3: 1, 30: 1, 300: 2 }));
  const sum = (side: "left" | "right") => rows.reduce((total, row) => total + (row[side] ?? 0), 0);
  expect(sum("left")).toBeCloseTo(1);
  expect(sum("right")).toBeCloseTo(1);
  expect(rows.at(-1)).toMatchObject({ edge: 1000, right: null });
});

test("a depth that one of them lacks is no bin: depths are not spread", () => {
  expect(rowsOf("depth", binsOf({ 0: 1, 2: 1 }), binsOf({ 0: 1, 1: 1 })).rows).toEqual([
    { edge: 0, width: 1, left: 0.5, right: 0.5 },
    { edge: 1, width: 1, left: null, right: 0.5 },
    { edge: 2, width: 1, left: 0.5, right: null },
  ]);
});
