// Labels at the ends of lines do not lie on each other.
import { expect, test } from "vitest";
import { nearby, spread } from "./lineLabels";

test("labels with room keep their positions", () => {
  expect(spread([10, 100], 15, 0, 200)).toEqual([10, 100]);
});

test("labels that would touch move apart and keep their order", () => {
  const placed = spread([50, 50, 52], 15, 0, 200);
  const sorted = [...placed].sort((a, b) => a - b);
  expect(new Set(placed).size).toBe(3);
  expect((sorted[1] ?? 0) - (sorted[0] ?? 0)).toBeGreaterThanOrEqual(15);
  expect((sorted[2] ?? 0) - (sorted[1] ?? 0)).toBeGreaterThanOrEqual(15);
});

test("labels at the lower end are pushed back inside", () => {
  const placed = spread([195, 198], 15, 0, 200);
  expect(Math.max(...placed)).toBeLessThanOrEqual(200);
  expect(Math.abs((placed[0] ?? 0) - (placed[1] ?? 0))).toBeGreaterThanOrEqual(15);
});

test("a label without room beside its line is left out", () => {
  const room = { gap: 15, low: 0, high: 200 };
  expect(nearby([50, 60], 15, room)).toEqual([50, 65]);
  const placed = nearby([50, 50, 50, 50, 120], 15, room);
  expect(placed.filter((at) => at !== null)).toHaveLength(3);
  expect(placed[4]).toBe(120);
  placed.forEach((at, index) => {
    if (at !== null) expect(Math.abs(at - (index === 4 ? 120 : 50))).toBeLessThanOrEqual(15);
  });
  expect(nearby([], 15, room)).toEqual([]);
});
