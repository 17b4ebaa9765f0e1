// Cells of a block map: shares of each use, by cell and in total.
import type { BlockMap, ImageDifference, Space } from "../../../api/client";

/** In drawing order. Metadata, data and unwritten are the parts of the blocks in use. Unusable ones and those that may
 * be damaged are free blocks of a shingled disk, and `free` has the others. The last two are of two images. */
export const uses = [
  "metadata",
  "data",
  "unwritten",
  "in_use",
  "unusable",
  "unusable_damaged",
  "damaged",
  "free",
  "differs",
  "equal",
] as const;
export type Use = (typeof uses)[number];
export type Shares = Partial<Record<Use, number>>;

/** Blocks of each use, by cell; of a difference, bytes. */
export interface Cells {
  cell_bytes: number;
  blocks: Partial<Record<Use, readonly number[]>>;
}

export const useWords: Record<Use, string> = {
  metadata: "metadata",
  data: "files",
  unwritten: "allocated, never written",
  in_use: "in use",
  unusable: "unusable",
  unusable_damaged: "unusable and maybe damaged",
  damaged: "free but maybe damaged",
  free: "free",
  differs: "differs",
  equal: "equal",
};

const MOST_COLUMNS = 128;

const isAny = (blocks: readonly number[]) => blocks.some((count) => count > 0);

/** Returns the free blocks of a map by what they are good for; only a shingled disk has several kinds. */
function freeBlocks({ free_blocks, shingled }: BlockMap | Space): Cells["blocks"] {
  if (shingled == null) return { free: free_blocks };
  const { unusable_blocks, damaged_blocks, unusable_and_damaged_blocks: both } = shingled;
  const without = (all: readonly number[]) => all.map((blocks, index) => blocks - (both[index] ?? 0));
  const parts = {
    unusable: without(unusable_blocks),
    unusable_damaged: both,
    damaged: without(damaged_blocks),
  };
  const known = Object.entries(parts).filter(([, blocks]) => isAny(blocks));
  return {
    ...Object.fromEntries(known),
    free: free_blocks.map((free, index) => known.reduce((rest, [, part]) => rest - (part[index] ?? 0), free)),
  };
}

/** Returns the free blocks that are unusable, and those that may be damaged; null where no map tells of any. */
export function shingledTotals(map: BlockMap | null | undefined) {
  if (map?.shingled == null) return null;
  const { unusable_blocks, damaged_blocks } = map.shingled;
  const sizeOf = (blocks: readonly number[]) =>
    blocks.reduce((total, each) => total + each, 0) * map.block_size_bytes;
  return { unusable_bytes: sizeOf(unusable_blocks), damaged_bytes: sizeOf(damaged_blocks) };
}

/** Returns the cells of an unmounted device, where the use of every block is known. */
export function cellsOfMap(map: BlockMap): Cells {
  return {
    cell_bytes: map.cell_bytes,
    blocks: {
      metadata: map.metadata_blocks,
      data: map.data_blocks,
      unwritten: map.unwritten_blocks,
      ...freeBlocks(map),
    },
  };
}

/** Returns the cells of a device during aging, where blocks are free or in use. */
export function cellsOfSpace(space: Space): Cells {
  const { device_bytes, block_size_bytes, cell_bytes, free_blocks } = space;
  const blocksOf = (index: number) =>
    Math.floor(Math.min(cell_bytes, device_bytes - index * cell_bytes) / block_size_bytes);
  return {
    cell_bytes,
    blocks: { in_use: free_blocks.map((free, index) => blocksOf(index) - free), ...freeBlocks(space) },
  };
}

/** Returns the cells of two images, as long as the longer one. */
export function cellsOfDifference({ map, first_bytes, second_bytes }: ImageDifference): Cells {
  const { cell_bytes, changed_bytes } = map;
  const image_bytes = Math.max(first_bytes, second_bytes);
  const sizeOf = (index: number) => Math.min(cell_bytes, image_bytes - index * cell_bytes);
  return {
    cell_bytes,
    blocks: { differs: changed_bytes, equal: changed_bytes.map((changed, index) => sizeOf(index) - changed) },
  };
}

/** Returns the uses that the map distinguishes. */
export function usesOf({ blocks }: Cells): Use[] {
  return uses.filter((use) => blocks[use] !== undefined);
}

export function countOf({ blocks }: Cells): number {
  return (blocks.free ?? blocks.equal)?.length ?? 0;
}

/** Returns the number of columns: cells stay large enough to read, and rows high enough to see. */
export function columnsCount(cells: Cells): number {
  return Math.min(MOST_COLUMNS, Math.max(1, countOf(cells)));
}

function shared(cells: Cells, blocksOf: (blocks: readonly number[]) => number): Shares {
  const known = usesOf(cells).map((use) => [use, blocksOf(cells.blocks[use] ?? [])] as const);
  const all = known.reduce((sum, [, blocks]) => sum + blocks, 0);
  return Object.fromEntries(known.map(([use, blocks]) => [use, all === 0 ? 0 : blocks / all]));
}

export function sharesOf(cells: Cells): Shares[] {
  return Array.from({ length: countOf(cells) }, (_, index) => shared(cells, (blocks) => blocks[index] ?? 0));
}

export function totalsOf(cells: Cells): Shares {
  return shared(cells, (blocks) => blocks.reduce((total, each) => total + each, 0));
}
