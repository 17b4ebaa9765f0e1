import { expect, test } from "vitest";
import { cellsOfMap, cellsOfSpace, columnsCount, sharesOf, totalsOf, usesOf } from "./blockMap";

const device = { device_bytes: 5 * 4096, block_size_bytes: 4096, cell_bytes: 4 * 4096 };
const map = cellsOfMap({
  ...device,
  free_blocks: [1, 1],
  metadata_blocks: [1, 0],
  data_blocks: [2, 0],
  unwritten_blocks: [0, 0],
});
const space = cellsOfSpace({ type: "space", ops_count: 7, elapsed_s: 1, ...device, free_blocks: [1, 1] });

test("a cell's shares add up to one, also in the shorter last cell", () => {
  expect(sharesOf(map)).toEqual([
    { metadata: 0.25, data: 0.5, unwritten: 0, free: 0.25 },
    { metadata: 0, data: 0, unwritten: 0, free: 1 },
  ]);
});

test("where only the free blocks are known, all others are in use", () => {
  expect(usesOf(space)).toEqual(["in_use", "free"]);
  expect(sharesOf(space)).toEqual([
    { in_use: 0.75, free: 0.25 },
    { in_use: 0, free: 1 },
  ]);
});

test("the totals weigh blocks, not cells", () => {
  expect(totalsOf(map)).toEqual({ metadata: 0.2, data: 0.4, unwritten: 0, free: 0.4 });
});

test("a small map has as many columns as cells, a large one at most 128", () => {
  expect(columnsCount(map)).toBe(2);
  expect(columnsCount({ ...map, blocks: { free: Array<number>(2048).fill(1) } })).toBe(128);
});
