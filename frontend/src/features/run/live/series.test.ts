// The pace of a run, of its samples.
import { expect, test } from "vitest";
import { emptySeries, paceOf } from "./series";

const seriesOf = (elapsed_s: number[], ops_per_s: number[]) => ({ ...emptySeries, elapsed_s, ops_per_s });

test("a last sample of too short a time has no pace", () => {
  expect(paceOf(seriesOf([1, 2, 2.1], [5, 6, 90]))).toEqual([5, 6, null]);
});

test("all others have one", () => {
  expect(paceOf(seriesOf([1, 2, 3], [5, 6, 7]))).toEqual([5, 6, 7]);
  expect(paceOf(seriesOf([1, 2, 2.5], [5, 6, 7]))).toEqual([5, 6, 7]);
  expect(paceOf(seriesOf([1, 1.1, 2], [5, 90, 7]))).toEqual([5, 90, 7]);
  expect(paceOf(seriesOf([1, 2], [5, 6]))).toEqual([5, 6]);
  expect(paceOf(emptySeries)).toEqual([]);
});
