import { expect, test } from "vitest";
import { afterArrow, cellAt } from "./pointedCell";

const grid = { columns: 4, rows: 2 };

test("the pointer is in the cell that lies under it, and on the edge in the outermost", () => {
  expect(cellAt(0, 0, grid)).toEqual({ column: 0, row: 0 });
  expect(cellAt(0.5, 0.49, grid)).toEqual({ column: 2, row: 0 });
  expect(cellAt(1, 1, grid)).toEqual({ column: 3, row: 1 });
  expect(cellAt(-0.1, 1.1, grid)).toEqual({ column: 0, row: 1 });
});

test("arrows go from cell to cell, stop at the edges, and Escape leaves", () => {
  expect(afterArrow("ArrowLeft", null, grid)).toEqual({ column: 3, row: 0 });
  expect(afterArrow("ArrowRight", { column: 3, row: 0 }, grid)).toEqual({ column: 3, row: 0 });
  expect(afterArrow("ArrowDown", { column: 3, row: 0 }, grid)).toEqual({ column: 3, row: 1 });
  expect(afterArrow("Escape", { column: 3, row: 0 }, grid)).toBeNull();
});

test("other keys are left to the page, and so is every key where there is no cell", () => {
  expect(afterArrow("Tab", null, grid)).toBeUndefined();
  expect(afterArrow("Escape", null, grid)).toBeUndefined();
  expect(afterArrow("ArrowUp", null, { columns: 0, rows: 0 })).toBeUndefined();
  expect(cellAt(0.5, 0.5, { columns: 0, rows: 0 })).toBeNull();
});
