// Cells of a block map: shares of each use, and of all of them together.
import type { BlockMap as Cells } from "../../api/client";

export type { Cells };

/** In the order in which they are drawn. */
export const uses = ["metadata", "data", "unwritten", "free"] as const;
export type Shares = Record<(typeof uses)[number], number>;

const MOST_COLUMNS = 128;

/** Wide enough to be read, narrow enough that a row is no single line. */
export function columnsCount(cells: Cells): number {
  return Math.min(MOST_COLUMNS, Math.max(1, cells.free_blocks.length));
}

function blocksOf(cells: Cells, index: number): Shares {
  return {
    metadata: cells.metadata_blocks[index] ?? 0,
    data: cells.data_blocks[index] ?? 0,
    unwritten: cells.unwritten_blocks[index] ?? 0,
    free: cells.free_blocks[index] ?? 0,
  };
}

function shared(blocks: Shares): Shares {
  const all = uses.reduce((sum, use) => sum + blocks[use], 0);
  const share = (use: keyof Shares) => (all === 0 ? 0 : blocks[use] / all);
  return {
    metadata: share("metadata"),
    data: share("data"),
    unwritten: share("unwritten"),
    free: share("free"),
  };
}

export function sharesOf(cells: Cells): Shares[] {
  return cells.free_blocks.map((_, index) => shared(blocksOf(cells, index)));
}

export function totalsOf(cells: Cells): Shares {
  const sum = (blocks: readonly number[]) => blocks.reduce((total, each) => total + each, 0);
  return shared({
    metadata: sum(cells.metadata_blocks),
    data: sum(cells.data_blocks),
    unwritten: sum(cells.unwritten_blocks),
    free: sum(cells.free_blocks),
  });
}
