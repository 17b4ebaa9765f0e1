// Pure: which cell of a grid is under the pointer, and how keys move from cell to cell.

/** The first row is the topmost. */
export interface Cell {
  column: number;
  row: number;
}

export interface Grid {
  columns: number;
  rows: number;
}

const within = (value: number, length: number) => Math.min(Math.max(0, value), length - 1);

/** Returns the cell at `x` and `y`, shares of the grid's width and height; null for a grid without cells. */
export function cellAt(x: number, y: number, { columns, rows }: Grid): Cell | null {
  if (columns < 1 || rows < 1) return null;
  return { column: within(Math.floor(x * columns), columns), row: within(Math.floor(y * rows), rows) };
}

/** Returns the cell after a key; undefined for other keys. Without a cell an arrow selects the last column's first. */
export function afterArrow(key: string, cell: Cell | null, { columns, rows }: Grid): Cell | null | undefined {
  if (key === "Escape") return cell === null ? undefined : null;
  const steps: Record<string, readonly [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const step = steps[key];
  if (step === undefined || columns < 1 || rows < 1) return undefined;
  if (cell === null) return { column: columns - 1, row: 0 };
  return { column: within(cell.column + step[0], columns), row: within(cell.row + step[1], rows) };
}
