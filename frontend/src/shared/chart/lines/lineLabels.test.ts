// Labels at the ends of lines do not lie on each other.
import { expect, test } from "vitest";
import { spread } from "./lineLabels";

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
