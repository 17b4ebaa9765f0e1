// Histograms over time as a file.
import { cellGroup, colors, csvOf, FRAME, rectangle, sheetOf, textAt, type Saved } from "../exportPlot";
import { cellsOf, everyMoment, strengthOf, type Cells, type Moment } from "./heatMap";

interface Drawn {
  title: string;
  x: string;
  moments: readonly Moment[];
  most_columns: number;
  formatX: (at: number) => string;
  formatEdge: (edge: number) => string;
}

function cellsDrawn({ edges, columns }: Cells): string[] {
  const width = (FRAME.right - FRAME.left) / Math.max(1, columns.length);
  const height = (FRAME.bottom - FRAME.top) / Math.max(1, edges.length);
  return columns.flatMap(({ shares }, column) =>
    shares.flatMap((share, row) => {
      if (share === 0) return [];
      const left = FRAME.left + column * width;
      const y = FRAME.bottom - (row + 1) * height;
      return [rectangle({ x: left, y, width, height }, colors.observed, strengthOf(share))];
    }),
  );
}

function svgOf({ title, x, moments, most_columns, formatX, formatEdge }: Drawn): string {
  const cells = cellsOf(moments, most_columns);
  const height = (FRAME.bottom - FRAME.top) / Math.max(1, cells.edges.length);
  return sheetOf(title, x, [
    cellGroup(cellsDrawn(cells)),
    ...cells.edges.map((edge, row) =>
      textAt(FRAME.left - 8, FRAME.bottom - (row + 0.5) * height + 4, formatEdge(edge), "end"),
    ),
    textAt(FRAME.left, FRAME.bottom + 18, formatX(cells.columns[0]?.at ?? 0)),
    textAt(FRAME.right, FRAME.bottom + 18, formatX(cells.columns.at(-1)?.at ?? 0), "end"),
  ]);
}

export function savedHeatMap(drawn: Drawn): Saved {
  return {
    title: drawn.title,
    csv: () => {
      const { edges, columns } = everyMoment(drawn.moments);
      const head = [drawn.x, ...edges.map((edge) => `from ${drawn.formatEdge(edge)}`)];
      return csvOf(
        head,
        columns.map(({ at, shares }) => [at, ...shares]),
      );
    },
    svg: () => svgOf(drawn),
  };
}
