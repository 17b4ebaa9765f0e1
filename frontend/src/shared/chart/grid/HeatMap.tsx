// Histograms over time: a column for each moment, a row for each bin; higher shares are darker.
import { useCallback, useMemo, useState } from "react";
import { formatFraction, fraction } from "../../units";
import { Figure } from "../Figure";
import classes from "./HeatMap.module.css";
import { cellsOf, strengthOf, type Moment } from "./heatMap";
import type { Cell } from "./pointedCell";
import { PointedGrid } from "./PointedGrid";
import { savedHeatMap } from "./saveHeatMap";

const MOST_COLUMNS = 240;
const MOST_ROWS_OF_TABLE = 60;

interface Props {
  title: string;
  unit: string;
  /** The unit of the horizontal axis. */
  x: "operations" | "rounds";
  moments: readonly Moment[];
  formatX: (at: number) => string;
  formatEdge: (edge: number) => string;
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const percent = (share: number) => formatFraction(fraction(share)).text;

export function HeatMap({ title, unit, x, moments, formatX, formatEdge }: Props) {
  const { edges, columns } = useMemo(() => cellsOf(moments, MOST_COLUMNS), [moments]);
  const [pointed, setPointed] = useState<Cell | null>(null);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, style: CSSStyleDeclaration) => {
      context.fillStyle = style.color;
      columns.forEach(({ shares }, place) =>
        shares.forEach((share, row) => {
          context.globalAlpha = strengthOf(share);
          context.fillRect(place, edges.length - 1 - row, 1, 1);
        }),
      );
      context.globalAlpha = 1;
    },
    [columns, edges],
  );
  const stride = Math.max(1, Math.ceil(columns.length / MOST_ROWS_OF_TABLE));
  const first = columns[0]?.at ?? 0;
  const last = columns.at(-1)?.at ?? 0;
  const row = pointed === null ? 0 : edges.length - 1 - pointed.row;
  const column = pointed === null ? undefined : columns[pointed.column];
  return (
    <Figure
      title={title}
      unit={unit}
      saved={savedHeatMap({ title, x, moments, most_columns: MOST_COLUMNS, formatX, formatEdge })}
      table={() => ({
        columns: [capitalized(x), ...edges.map(formatEdge)],
        rows: columns
          .filter((_, place) => place % stride === 0 || place === columns.length - 1)
          .map(({ at, shares }) => [formatX(at), ...shares.map(percent)]),
      })}
    >
      <div className={classes.frame}>
        <div className={classes.edges} aria-hidden>
          <span>{formatEdge(edges.at(-1) ?? 0)}</span>
          <span>{formatEdge(edges[0] ?? 0)}</span>
        </div>
        <PointedGrid
          columns={columns.length}
          rows={edges.length}
          resolution={1}
          draw={draw}
          label={`${title}, from ${formatX(first)} to ${formatX(last)} ${x}`}
          className={classes.map}
          pointed={pointed}
          onPoint={setPointed}
        />
        <div className={classes.moments} aria-live="polite">
          {column === undefined ? (
            <>
              <span>{formatX(first)}</span>
              <span>{formatX(last)}</span>
            </>
          ) : (
            <span className={classes.reading}>
              at {formatX(column.at)}: {percent(column.shares[row] ?? 0)} from {formatEdge(edges[row] ?? 0)}
            </span>
          )}
        </div>
      </div>
    </Figure>
  );
}
