// A map by DID and fullness as a file.
import {
  cellGroup,
  colors,
  csvOf,
  FRAME,
  rectangle,
  sheetOf,
  textAt,
  type Saved,
} from "../../shared/chart/exportPlot";
import type { MapFigure } from "./figures";
import { formatRatioOf } from "./words";

const STRONGEST = 0.6;

export function savedMap(figure: MapFigure): Saved {
  const { title, unit, dids, fullnesses, values } = figure;
  return {
    title: `${title}, ${unit}`,
    csv: () =>
      csvOf(
        ["fullness", ...dids.map((did) => `DID ${did}`)],
        fullnesses.map((fullness, row) => [fullness, ...(values[row] ?? [])]),
      ),
    svg: () => drawn(figure),
  };
}

function drawn({ title, unit, dids, fullnesses, values }: MapFigure): string {
  const width = (FRAME.right - FRAME.left) / Math.max(1, dids.length);
  const height = (FRAME.bottom - FRAME.top) / Math.max(1, fullnesses.length);
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0));
  const cells = values.flatMap((row, y) =>
    row.flatMap((value, x) => {
      if (value === null) return [];
      const box = { x: FRAME.left + x * width, y: FRAME.top + y * height, width, height };
      return [{ box, value }];
    }),
  );
  return sheetOf(`${title}, ${unit}`, "DID in blocks", [
    cellGroup(
      cells.map(({ box, value }) =>
        rectangle(box, colors.observed, most === 0 ? 0 : (value / most) * STRONGEST),
      ),
    ),
    ...cells.map(({ box, value }) =>
      textAt(box.x + width / 2, box.y + height / 2 + 4, formatRatioOf(value).text, "middle"),
    ),
    ...dids.map((did, x) => textAt(FRAME.left + (x + 0.5) * width, FRAME.bottom + 18, String(did), "middle")),
    ...fullnesses.map((fullness, y) =>
      textAt(FRAME.left - 8, FRAME.top + (y + 0.5) * height + 4, `${Math.round(fullness * 100)} %`, "end"),
    ),
  ]);
}
