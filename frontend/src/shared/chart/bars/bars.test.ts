import { describe, expect, it } from "vitest";
import { endOf, placeOf, summaryOf, ticksOf, type Bar } from "./bars";

const bar = (mean: number, high: number | null = null, points: readonly number[] = []): Bar => ({
  label: "unaged",
  mean,
  low: null,
  high,
  points,
  outliers: [],
  isBase: true,
  text: String(mean),
  exact: String(mean),
});

describe("the axis of bars", () => {
  it("ends at a round number above every mean, interval and point", () => {
    expect(endOf([{ label: "ext4", bars: [bar(87), bar(40, 96)] }])).toBe(100);
    expect(endOf([{ label: "ext4", bars: [bar(1, null, [1.04])] }])).toBe(1.5);
    for (const value of [1e-6, 0.3, 7, 99, 1234, 5e9])
      expect(endOf([{ label: "", bars: [bar(value)] }])).toBeGreaterThan(value);
  });
  it("has an end without bars and without values", () => {
    expect(endOf([])).toBe(1);
    expect(endOf([{ label: "ext4", bars: [bar(0)] }])).toBe(1);
  });
  it("has few round ticks from 0 to its end", () => {
    for (const end of [1, 1.5, 100, 2500, 0.004]) {
      const ticks = ticksOf(end);
      expect(ticks[0]).toBe(0);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeLessThanOrEqual(end * 1.0001);
    }
  });
  it("keeps places on the plot", () => {
    expect(placeOf(-1, 10)).toBe(0);
    expect(placeOf(5, 10)).toBe(50);
    expect(placeOf(50, 10)).toBe(100);
  });
});

it("says what it shows", () => {
  expect(summaryOf([{ label: "ext4", bars: [bar(3)] }])).toBe("ext4: unaged 3");
});
