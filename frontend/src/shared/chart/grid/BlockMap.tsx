// The use of a device's blocks, cell by cell: a cell is filled in proportion to its blocks in use.
import { useCallback, useMemo, useState } from "react";
import { bytes, formatBytes, formatFraction, fraction } from "../../units";
import classes from "./BlockMap.module.css";
import {
  columnsCount,
  countOf,
  sharesOf,
  totalsOf,
  usesOf,
  useWords,
  type Cells,
  type Shares,
} from "./blockMap";
import { Figure } from "../Figure";
import type { Cell } from "./pointedCell";
import { PointedGrid } from "./PointedGrid";
import { savedBlockMap } from "./saveBlockMap";

const CELL = 8;

interface Props {
  cells: Cells;
  title?: string;
  /** The moment of the map: "at 12.3 k operations". */
  when?: string;
  /** A note needed to read the map. */
  note?: string;
}

const size = (value: number) => formatBytes(bytes(value)).text;
const percent = (share: number | undefined) => formatFraction(fraction(share ?? 0)).text;

function useDrawing(cells: Cells, shares: readonly Shares[]) {
  return useCallback(
    (context: CanvasRenderingContext2D, style: CSSStyleDeclaration) => {
      const uses = usesOf(cells);
      const inks = uses.map((use) => style.getPropertyValue(`--block-${use}`).trim());
      const columns = columnsCount(cells);
      shares.forEach((share, index) => {
        let from = (index % columns) * CELL;
        uses.forEach((use, place) => {
          const breadth = (share[use] ?? 0) * CELL;
          context.fillStyle = inks[place] ?? "";
          context.fillRect(from, Math.floor(index / columns) * CELL, breadth, CELL);
          from += breadth;
        });
      });
    },
    [cells, shares],
  );
}

export function BlockMap({ cells, title = "Block map", when, note }: Props) {
  const [pointed, setPointed] = useState<Cell | null>(null);
  const shares = useMemo(() => sharesOf(cells), [cells]);
  const draw = useDrawing(cells, shares);
  const uses = usesOf(cells);
  const totals = totalsOf(cells);
  const columns = columnsCount(cells);
  const index = pointed === null ? null : pointed.row * columns + pointed.column;
  const shown = (index === null ? undefined : shares[index]) ?? totals;
  return (
    <Figure
      title={title}
      unit={`from the first block to the last, a cell is ${size(cells.cell_bytes)}`}
      aside={shown === totals ? when : `at ${size((index ?? 0) * cells.cell_bytes)}`}
      saved={savedBlockMap(title, cells, when ?? "")}
      table={() => ({
        columns: ["From", ...uses.map((use) => useWords[use])],
        rows: shares.map((share, at) => [
          size(at * cells.cell_bytes),
          ...uses.map((use) => percent(share[use])),
        ]),
      })}
    >
      <PointedGrid
        columns={columns}
        rows={Math.ceil(countOf(cells) / columns)}
        resolution={CELL}
        draw={draw}
        label={`Blocks: ${uses.map((use) => `${percent(totals[use])} ${useWords[use]}`).join(", ")}`}
        className={classes.map}
        pointed={pointed}
        onPoint={setPointed}
      />
      <ul className={classes.key} aria-live="polite">
        {uses.map((use) => (
          <li key={use}>
            <span className={classes[use]} /> {useWords[use]}, {percent(shown[use])}
          </li>
        ))}
      </ul>
      {note !== undefined && <p className={classes.note}>{note}</p>}
    </Figure>
  );
}
