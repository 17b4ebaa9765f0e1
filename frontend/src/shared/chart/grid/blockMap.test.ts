import { expect, test } from "vitest";
import {
  cellsOfMap,
  cellsOfSpace,
  columnsCount,
  sharesOf,
  shingledTotals,
  totalsOf,
  usesOf,
} from "./blockMap";

const device = { device_bytes: 5 * 4096, block_size_bytes: 4096, cell_bytes: 4 * 4096 };
const map = cellsOfMap({
  ...device,
  free_blocks: [1, 1],
  metadata_blocks: [1, 0],
  data_blocks: [2, 0],
  unwritten_blocks: [0, 0],
});
const measured = { type: "space", ops_count: 7, elapsed_s: 1, ...device } as const;
const space = cellsOfSpace({ ...measured, free_blocks: [1, 1] });

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

const shingled = {
  unusable_blocks: [1, 0],
  damaged_blocks: [2, 0],
  unusable_and_damaged_blocks: [1, 0],
};

test("free blocks of a shingled disk are divided, each counted once", () => {
  const cells = cellsOfSpace({ ...measured, free_blocks: [3, 1], shingled });
  expect(usesOf(cells)).toEqual(["in_use", "unusable_damaged", "damaged", "free"]);
  expect(sharesOf(cells)).toEqual([
    { in_use: 0.25, unusable_damaged: 0.25, damaged: 0.25, free: 0.25 },
    { in_use: 0, unusable_damaged: 0, damaged: 0, free: 1 },
  ]);
});

test("the figures of a shingled disk count a block that is both twice", () => {
  const used = { metadata_blocks: [0, 0], data_blocks: [1, 0], unwritten_blocks: [0, 0] };
  expect(shingledTotals({ ...device, ...used, free_blocks: [3, 1], shingled })).toEqual({
    unusable_bytes: 4096,
    damaged_bytes: 8192,
  });
  expect(shingledTotals({ ...device, ...used, free_blocks: [3, 1] })).toBeNull();
});

test("the totals weigh blocks, not cells", () => {
  expect(totalsOf(map)).toEqual({ metadata: 0.2, data: 0.4, unwritten: 0, free: 0.4 });
});

test("a small map has as many columns as cells, a large one at most 128", () => {
  expect(columnsCount(map)).toBe(2);
  expect(columnsCount({ ...map, blocks: { free: Array<number>(2048).fill(1) } })).toBe(128);
});
