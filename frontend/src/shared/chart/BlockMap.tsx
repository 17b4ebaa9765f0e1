// What a device's blocks are used for, cell by cell: a cell is as filled as its blocks are.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import { bytes, formatBytes, formatFraction, fraction } from "../units";
import classes from "./BlockMap.module.css";
import { columnsCount, sharesOf, totalsOf, uses, type Cells } from "./blockMap";
import { Figure } from "./Figure";

const labels = { data: "files", unwritten: "allocated, never written", metadata: "metadata", free: "free" };

function useDrawing(cells: Cells) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current == null || context == null) return;
    const style = getComputedStyle(canvas.current);
    const colour = (use: string) => style.getPropertyValue(`--block-${use}`).trim();
    const { width, height } = canvas.current;
    context.clearRect(0, 0, width, height);
    sharesOf(cells).forEach((shares, index) => {
      const x = index % columnsCount(cells);
      const y = Math.floor(index / columnsCount(cells));
      let from = x * CELL;
      for (const use of uses) {
        const breadth = shares[use] * CELL;
        context.fillStyle = colour(use);
        context.fillRect(from, y * CELL, breadth, CELL);
        from += breadth;
      }
    });
  }, [cells, scheme]);
  return canvas;
}

const CELL = 8;

export function BlockMap({ cells }: { cells: Cells }) {
  const canvas = useDrawing(cells);
  const totals = totalsOf(cells);
  const percent = (use: (typeof uses)[number]) => formatFraction(fraction(totals[use])).text;
  const columns = columnsCount(cells);
  const rows = Math.ceil(cells.free_blocks.length / columns);
  const cell = formatBytes(bytes(cells.cell_bytes)).text;
  return (
    <Figure
      title="Block map"
      unit={`from the first block to the last, a cell is ${cell}`}
      table={() => ({
        columns: ["From", ...uses.map((use) => labels[use])],
        rows: sharesOf(cells).map((shares, index) => [
          formatBytes(bytes(index * cells.cell_bytes)).text,
          ...uses.map((use) => formatFraction(fraction(shares[use])).text),
        ]),
      })}
    >
      <canvas
        ref={canvas}
        className={classes.map}
        width={columns * CELL}
        height={rows * CELL}
        role="img"
        aria-label={`Blocks: ${uses.map((use) => `${percent(use)} ${labels[use]}`).join(", ")}`}
      />
      <ul className={classes.key} aria-hidden>
        {uses.map((use) => (
          <li key={use}>
            <span className={classes[use]} /> {labels[use]}, {percent(use)}
          </li>
        ))}
      </ul>
    </Figure>
  );
}
