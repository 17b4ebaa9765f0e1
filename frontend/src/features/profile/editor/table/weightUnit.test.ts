// The value of a pixel or a key press.
import { expect, test } from "vitest";
import { dragged, formatWeight, keyStep, shownOf, topOf, weightOf } from "./weightUnit";

test("a weight set as percent shows as that percent once it is set", () => {
  const weight = weightOf(25, 30, "percent");
  expect(weight).toBe(10);
  expect(shownOf(weight, 30 + weight, "percent")).toBeCloseTo(25);
  expect(weightOf(200, 30, "percent")).toBeGreaterThan(30);
  expect(weightOf(40, 0, "percent")).toBe(40);
  expect(formatWeight(1, 8, "percent")).toBe("12.5 %");
  expect(formatWeight(1500, 8000, "count")).toBe("1.50 k");
});

test("the axis of shares ends at 100 %, that of counts above the highest", () => {
  expect(topOf(95, "percent")).toBe(100);
  expect(topOf(20, "percent")).toBe(25);
  expect(topOf(95, "count")).toBe(120);
});

test("a key changes a hundredth of the axis or a tenth, a pixel its own worth", () => {
  expect(keyStep(60, false)).toBe(1);
  expect(keyStep(60, true)).toBe(10);
  expect(dragged(12.3456, 60, 200)).toBe(12.3);
  expect(dragged(-5, 60, 200)).toBe(0);
});
