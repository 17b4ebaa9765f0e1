import { expect, test } from "vitest";
import { afterDrag, afterKey, afterWheel, held, placeAfterKey } from "./view";

const all = { from: 0, to: 1000 };

test("plus and minus zoom about the middle, and minus ends with all there is", () => {
  const half = afterKey("+", null, all);
  expect(half).toEqual({ from: 250, to: 750 });
  expect(afterKey("+", half ?? null, all)).toEqual({ from: 375, to: 625 });
  expect(afterKey("-", half ?? null, all)).toBeNull();
});

test("arrows move a part that is looked at, and stop at the ends", () => {
  expect(afterKey("ArrowRight", { from: 0, to: 500 }, all)).toEqual({ from: 100, to: 600 });
  expect(afterKey("ArrowRight", { from: 480, to: 980 }, all)).toEqual({ from: 500, to: 1000 });
  expect(afterKey("ArrowLeft", { from: 10, to: 510 }, all)).toEqual({ from: 0, to: 500 });
  expect(afterKey("ArrowLeft", null, all)).toBeUndefined();
});

test("Home and zero show all there is; other keys are left to the page", () => {
  expect(afterKey("Home", { from: 1, to: 2 }, all)).toBeNull();
  expect(afterKey("0", null, all)).toBeNull();
  expect(afterKey("Tab", null, all)).toBeUndefined();
});

test("Escape shows all there is, and is left to the page where all is shown", () => {
  expect(afterKey("Escape", { from: 1, to: 2 }, all)).toBeNull();
  expect(afterKey("Escape", null, all)).toBeUndefined();
});

test("arrows move the place whose values are shown, from an end to the other", () => {
  expect(placeAfterKey("ArrowRight", null, all)).toBe(0);
  expect(placeAfterKey("ArrowLeft", null, all)).toBe(1000);
  expect(placeAfterKey("ArrowRight", 500, all)).toBe(520);
  expect(placeAfterKey("ArrowLeft", 10, all)).toBe(0);
  expect(placeAfterKey("Tab", 10, all)).toBeUndefined();
});

test("a view is never empty after any drag", () => {
  expect(held({ from: 500, to: 500 }, all)).toEqual({ from: 500, to: 500.5 });
  expect(held({ from: 0, to: 0 }, { from: 7, to: 7 })).toBeNull();
});

test("the wheel zooms about what is under the pointer, in and out again", () => {
  const quarter = afterWheel(-120, 0.25, null, all);
  expect(quarter).toEqual({ from: 125, to: 625 });
  expect(afterWheel(-120, 1, quarter, all)).toEqual({ from: 375, to: 625 });
  expect(afterWheel(120, 0.25, quarter, all)).toBeNull();
});

test("a drag takes the view along, and stops at the ends", () => {
  expect(afterDrag(0.5, { from: 400, to: 600 }, all)).toEqual({ from: 300, to: 500 });
  expect(afterDrag(-3, { from: 400, to: 600 }, all)).toEqual({ from: 800, to: 1000 });
  expect(afterDrag(0.5, null, all)).toBeNull();
});
