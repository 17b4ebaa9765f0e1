// The place of bins on their axis.
import { expect, test } from "vitest";
import { axisOf, ceilingAbove, ticksApart } from "./axis";

test("sizes that double are equally wide, ticks are round powers of two", () => {
  const { cells, ticks } = axisOf("size", [512, 1024, 2048, 4096]);
  for (const { width } of cells) expect(width).toBeCloseTo(0.25);
  expect(ticks.map(({ label }) => label)).toEqual(["512 B", "1 KiB", "2 KiB", "4 KiB"]);
  expect(ticks.map(({ at }) => at)).toMatchObject([0.25, 0.5, 0.75, 1]);
});

test("a bin of four octaves is four times as wide as one of one octave", () => {
  const { cells } = axisOf("size", [1024, 2048, 32768]);
  expect((cells[2]?.width ?? 0) / (cells[1]?.width ?? 1)).toBeCloseTo(4);
});

test("bins that lie closely together stay wide enough to be held, and none overlap", () => {
  const { cells } = axisOf("size", [0, 4096, 4097, 4098, 2 ** 40]);
  for (const { width } of cells) expect(width).toBeGreaterThan(0.03);
  cells.slice(1).forEach(({ left }, index) => {
    const before = cells[index];
    expect(left).toBeCloseTo((before?.left ?? 0) + (before?.width ?? 0));
  });
});

test("depth is linear with a gap where no bin is", () => {
  const { cells, ticks } = axisOf("depth", [0, 1, 3]);
  expect(cells).toEqual([0, 0.25, 0.75].map((left) => ({ left, width: 0.25 })));
  expect(ticks.map(({ label }) => label)).toEqual(["0", "1", "3"]);
});

test("ages have powers of ten as ticks", () => {
  const { ticks } = axisOf("age", [10.74, 31, 240, 687.87, 14765, 122_640]);
  expect(ticks.map(({ label }) => label)).toEqual(["100", "1 k", "10 k", "100 k"]);
});

test("labels that would collide are left out; the last one stays", () => {
  const { ticks } = axisOf("size", [0, 4096, 4097, 4098, 2 ** 40]);
  const labelsAt = (width_px: number) => ticksApart(ticks, width_px).map(({ label }) => label);
  expect(ticksApart(ticks, 10_000)).toEqual(ticks);
  expect(labelsAt(40)).toEqual(["1 TiB"]);
  const narrow = ticksApart(ticks, 300);
  narrow.slice(1).forEach(({ at }, index) => {
    expect((at - (narrow[index]?.at ?? 0)) * 300).toBeGreaterThan(40);
  });
});

test("with a bad edge every bar is still there to be mended", () => {
  const { cells } = axisOf("age", [100, 10, Number.NaN]);
  for (const { width } of cells) expect(width).toBeCloseTo(1 / 3);
  expect(axisOf("size", [])).toEqual({ cells: [], ticks: [] });
  expect(axisOf("size", [4096]).cells).toEqual([{ left: 0, width: 1 }]);
});

test("the top of the axis is round, above the highest bar, and never nothing", () => {
  expect(ceilingAbove(50)).toBe(60);
  expect(ceilingAbove(0.013)).toBeCloseTo(0.015);
  expect(ceilingAbove(0)).toBe(1);
  for (const highest of [1, 3.3, 97, 1e9]) expect(ceilingAbove(highest)).toBeGreaterThan(highest);
});

test("free extents of powers of two are equally wide, each named at its bar", () => {
  const { cells, ticks } = axisOf("free_extents", [4096, 8192, 65_536, 131_072]);
  for (const { width } of cells) expect(width).toBeCloseTo(0.25);
  expect(ticks.map(({ label }) => label)).toEqual(["4 KiB", "8 KiB", "64 KiB", "128 KiB"]);
});
