// Histograms over time: a column a moment, a row a bin, the more the stronger.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useMemo, useRef } from "react";
import { formatFraction, fraction } from "../units";
import { Figure } from "./Figure";
import classes from "./HeatMap.module.css";
import { cellsOf, type Moment } from "./heatMap";

const MOST_COLUMNS = 240;
const MOST_ROWS_OF_TABLE = 60;
const FAINTEST = 0.08; // what is there at all can be seen

interface Props {
  title: string;
  unit: string;
  moments: readonly Moment[];
  formatX: (ops_count: number) => string;
  formatEdge: (edge: number) => string;
}

export function HeatMap({ title, unit, moments, formatX, formatEdge }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  const cells = useMemo(() => cellsOf(moments, MOST_COLUMNS), [moments]);
  const { edges, columns } = cells;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current == null || context == null) return;
    const { width, height } = canvas.current;
    context.clearRect(0, 0, width, height);
    context.fillStyle = getComputedStyle(canvas.current).color;
    columns.forEach(({ shares }, x) =>
      shares.forEach((share, row) => {
        if (share === 0) return;
        context.globalAlpha = FAINTEST + (1 - FAINTEST) * Math.sqrt(share);
        context.fillRect(x, edges.length - 1 - row, 1, 1);
      }),
    );
  }, [columns, edges, scheme]);
  const percent = (share: number) => formatFraction(fraction(share)).text;
  const stride = Math.max(1, Math.ceil(columns.length / MOST_ROWS_OF_TABLE));
  const first = columns[0]?.ops_count ?? 0;
  const last = columns.at(-1)?.ops_count ?? 0;
  return (
    <Figure
      title={title}
      unit={unit}
      table={() => ({
        columns: ["Operations", ...edges.map(formatEdge)],
        rows: columns
          .filter((_, place) => place % stride === 0 || place === columns.length - 1)
          .map(({ ops_count, shares }) => [formatX(ops_count), ...shares.map(percent)]),
      })}
    >
      <div className={classes.frame}>
        <div className={classes.edges} aria-hidden>
          <span>{formatEdge(edges.at(-1) ?? 0)}</span>
          <span>{formatEdge(edges[0] ?? 0)}</span>
        </div>
        <canvas
          ref={canvas}
          className={classes.map}
          width={Math.max(1, columns.length)}
          height={Math.max(1, edges.length)}
          role="img"
          aria-label={`${title}, from ${formatX(first)} to ${formatX(last)} operations`}
        />
        <div className={classes.moments} aria-hidden>
          <span>{formatX(first)}</span>
          <span>{formatX(last)}</span>
        </div>
      </div>
    </Figure>
  );
}
