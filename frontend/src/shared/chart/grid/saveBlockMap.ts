// A block map as a file.
import { columnsCount, countOf, sharesOf, useWords, usesOf, type Cells, type Use } from "./blockMap";
import {
  cellGroup,
  colors,
  csvOf,
  FRAME,
  rectangle,
  sheetOf,
  textAt,
  type Rectangle,
  type Saved,
} from "../exportPlot";

const inks: Record<Use, readonly [fill: string, opacity: number]> = {
  metadata: [colors.text, 1],
  data: [colors.observed, 1],
  unwritten: [colors.observed, 0.45],
  in_use: [colors.observed, 1],
  unusable: [colors["series-2"], 1],
  unusable_damaged: [colors["series-4"], 1],
  damaged: [colors.target, 0.45],
  free: [colors.line, 1],
  differs: [colors.observed, 1],
  equal: [colors.line, 1],
};
const KEY_COLUMNS = 4;
const KEY_WIDTH = 170;
/** Of a key in two rows, which has longer words. */
const WIDE_KEY_WIDTH = 200;

interface Piece extends Rectangle {
  use: Use;
}

/** Joins neighbours of one use into one piece: the device has no borders between cells. */
function joined(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const last = kept.at(-1);
    if (last?.use === piece.use && last.y === piece.y) last.width += piece.width;
    else if (piece.width > 0) kept.push({ ...piece });
  }
  return kept;
}

function piecesOf(cells: Cells): Piece[] {
  const columns = columnsCount(cells);
  const width = (FRAME.right - FRAME.left) / columns;
  const height = (FRAME.bottom - FRAME.top) / Math.max(1, Math.ceil(countOf(cells) / columns));
  const pieces = sharesOf(cells).flatMap((shares, index) => {
    let x = FRAME.left + (index % columns) * width;
    const y = FRAME.top + Math.floor(index / columns) * height;
    return usesOf(cells).map((use) => {
      const piece = { use, x, y, width: (shares[use] ?? 0) * width, height };
      x += piece.width;
      return piece;
    });
  });
  return joined(pieces);
}

function keyOf(uses: readonly Use[]): string[] {
  const isWide = uses.length > KEY_COLUMNS;
  return uses.flatMap((use, place) => {
    const x = FRAME.left + (place % KEY_COLUMNS) * (isWide ? WIDE_KEY_WIDTH : KEY_WIDTH);
    const y = FRAME.bottom + (isWide ? 8 + Math.floor(place / KEY_COLUMNS) * 16 : 14);
    const box = { x, y, width: 12, height: 12 };
    return [rectangle(box, ...inks[use]), textAt(x + 18, y + 10, useWords[use])];
  });
}

function svgOf(title: string, cells: Cells, when: string): string {
  const drawn = piecesOf(cells).map(({ use, ...place }) => rectangle(place, ...inks[use]));
  return sheetOf(title, when, [cellGroup(drawn), ...keyOf(usesOf(cells))]);
}

export function savedBlockMap(title: string, cells: Cells, when: string): Saved {
  const uses = usesOf(cells);
  return {
    title,
    csv: () =>
      csvOf(
        [
          "from_bytes",
          ...uses.map((use) => `${use}_${cells.blocks.equal === undefined ? "blocks" : "bytes"}`),
        ],
        Array.from({ length: countOf(cells) }, (_, index) => [
          index * cells.cell_bytes,
          ...uses.map((use) => cells.blocks[use]?.[index]),
        ]),
      ),
    svg: () => svgOf(title, cells, when),
  };
}
