import { expect, test } from "vitest";
import { columnsCount, sharesOf, totalsOf, type Cells } from "./blockMap";

const cells: Cells = {
  device_bytes: 5 * 4096,
  block_size_bytes: 4096,
  cell_bytes: 4 * 4096,
  free_blocks: [1, 1],
  metadata_blocks: [1, 0],
  data_blocks: [2, 0],
  unwritten_blocks: [0, 0],
};

test("a cell's shares add up to one, also in the shorter last cell", () => {
  expect(sharesOf(cells)).toEqual([
    { metadata: 0.25, data: 0.5, unwritten: 0, free: 0.25 },
    { metadata: 0, data: 0, unwritten: 0, free: 1 },
  ]);
});

test("the totals weigh blocks, not cells", () => {
  expect(totalsOf(cells)).toEqual({ metadata: 0.2, data: 0.4, unwritten: 0, free: 0.4 });
});

test("a small map has as many columns as cells, a large one at most 128", () => {
  expect(columnsCount(cells)).toBe(2);
  expect(columnsCount({ ...cells, free_blocks: Array<number>(2048).fill(1) })).toBe(128);
});
