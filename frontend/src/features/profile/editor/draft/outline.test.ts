// The saved weights behind the edited ones.
import { expect, test } from "vitest";
import { outlineOf } from "./outline";

const binsOf = (weights: readonly number[], step = 1) =>
  weights.map((weight, index) => ({ edge: (index + 1) * step, weight, subdirs: 0 }));

test("the saved shares are drawn in the scale of the edited bins", () => {
  const saved = binsOf([1, 1]);
  expect(outlineOf(saved, binsOf([1, 3]), "percent")).toEqual([2, 2]);
  expect(outlineOf(saved, binsOf([1, 3]), "count")).toEqual([1, 1]);
});

test("without a change, or with other edges, there is no line", () => {
  const saved = binsOf([1, 1]);
  expect(outlineOf(saved, binsOf([1, 1]), "percent")).toBeNull();
  expect(outlineOf(saved, binsOf([1, 3], 2), "percent")).toBeNull();
  expect(outlineOf(saved, binsOf([1, 1, 1]), "percent")).toBeNull();
});
