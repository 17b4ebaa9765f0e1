// Two profiles or versions compared histogram by histogram: one as bars, the other as a line.
import { useMemo } from "react";
import type { HistogramName } from "../../api/client";
import { Figure, type ChartTable } from "../../shared/chart/Figure";
import { formatEdge, formatFraction, fraction } from "../../shared/units";
import { axisOf } from "../../shared/chart/histogram/axis";
import { AxisLabels, percent } from "../../shared/chart/histogram/AxisLabels";
import classes from "./CompareFigures.module.css";
import { distanceOf, isSame, rowsOf, type Row } from "./compareRows";
import { histogramNames, histogramsOf, type HistogramsContent } from "./editor/draft/bin";
import { histogramTitles } from "./words";

export interface Compared {
  title: string;
  content: HistogramsContent;
}

const say = (share: number | null) => (share === null ? "no such bin" : formatFraction(fraction(share)).text);

function summaryOf(rows: readonly Row[], left: string, right: string): string {
  const different = rows.filter((row) => !isSame(row)).length;
  if (different === 0) return `${left} and ${right} are the same here.`;
  const distance = formatFraction(fraction(distanceOf(rows))).text;
  return `${different} of ${rows.length} bins differ between ${left} and ${right}; largest distance of the cumulative shares: ${distance}.`;
}

interface FigureProps {
  histogram: HistogramName;
  left: Compared;
  right: Compared;
}

function CompareFigure({ histogram, left, right }: FigureProps) {
  const { rows, isSpread } = useMemo(
    () => rowsOf(histogram, histogramsOf(left.content)[histogram], histogramsOf(right.content)[histogram]),
    [histogram, left.content, right.content],
  );
  const axis = axisOf(
    histogram,
    rows.map(({ edge }) => edge),
  );
  const ceiling = Math.max(1e-9, ...rows.map((row) => Math.max(row.left ?? 0, row.right ?? 0) / row.width));
  const summary = summaryOf(rows, left.title, right.title);
  const table = (): ChartTable => ({
    columns: [histogramTitles[histogram], left.title, right.title],
    rows: rows.map((row) => [formatEdge(histogram, row.edge), say(row.left), say(row.right)]),
  });
  let path = "";
  rows.forEach((row, index) => {
    const cell = axis.cells[index] ?? { left: 0, width: 0 };
    const y = 100 * (1 - (row.right ?? 0) / row.width / ceiling);
    path += `${index === 0 ? "M" : "L"}${cell.left * 100} ${y}H${(cell.left + cell.width) * 100}`;
  });
  return (
    <Figure
      title={histogramTitles[histogram]}
      unit={isSpread ? `share of files for each doubling of ${histogram}` : "share of files"}
      aside={summary}
      table={table}
    >
      <div className={classes.plot} role="img" aria-label={summary}>
        <svg width="100%" height="100%">
          {rows.map((row, index) => {
            const cell = axis.cells[index] ?? { left: 0, width: 0 };
            const height = (row.left ?? 0) / row.width / ceiling;
            return (
              <rect
                key={row.edge}
                x={percent(cell.left + cell.width * 0.06)}
                width={percent(cell.width * 0.88)}
                y={percent(1 - height)}
                height={percent(height)}
              />
            );
          })}
        </svg>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" className={classes.line}>
          <path d={path} vectorEffect="non-scaling-stroke" />
        </svg>
      </div>
      <AxisLabels axis={axis} />
    </Figure>
  );
}

export function CompareFigures({ left, right }: Omit<FigureProps, "histogram">) {
  return (
    <>
      <p className={classes.key} aria-hidden>
        <span>
          <span className={classes.bar} /> {left.title}
        </span>
        <span>
          <span className={classes.stroke} /> {right.title}
        </span>
      </p>
      <div className="patina-charts">
        {histogramNames.map((histogram) => (
          <CompareFigure key={histogram} histogram={histogram} left={left} right={right} />
        ))}
      </div>
    </>
  );
}
