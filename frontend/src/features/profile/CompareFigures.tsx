// Two profiles or versions compared histogram by histogram: one as bars, the other as a line.
import { useMemo } from "react";
import type { HistogramName } from "../../api/client";
import { Figure, type ChartTable } from "../../shared/chart/Figure";
import { formatEdge, formatFraction, fraction } from "../../shared/units";
import { axisOf, type BinAxis } from "../../shared/chart/histogram/axis";
import { Term } from "../../shared/help/Term";
import { AxisLabels, percent } from "../../shared/chart/histogram/AxisLabels";
import classes from "./CompareFigures.module.css";
import { compared, isSame, type Block, type Comparison } from "./compareRows";
import { histogramNames, histogramsOf, type HistogramsContent } from "./editor/draft/bin";
import { histogramTitles } from "./words";

export interface Compared {
  title: string;
  content: HistogramsContent;
}

const say = (share: number | null) => (share === null ? "no such bin" : formatFraction(fraction(share)).text);

function differenceOf({ rows, hasSameEdges }: Comparison, left: string, right: string): string {
  if (!hasSameEdges) return `The bins of ${left} and ${right} have different edges.`;
  const different = rows.filter((row) => !isSame(row)).length;
  if (different === 0) return `No bin differs between ${left} and ${right}.`;
  return `${different} of ${rows.length} bins ${different === 1 ? "differs" : "differ"} between ${left} and ${right}.`;
}

/** Returns the ends of a bin on the axis, as parts of its width. */
function endsOf({ cells }: BinAxis, { first, last }: Block): { from: number; to: number } {
  const end = cells[last];
  return { from: cells[first]?.left ?? 0, to: end === undefined ? 0 : end.left + end.width };
}

/** Returns a step line over the bins, at 0 where there are none. */
function lineOf(axis: BinAxis, blocks: readonly Block[], ceiling: number): string {
  let [path, at] = ["M0 100", 0];
  for (const block of blocks) {
    const { from, to } = endsOf(axis, block);
    if (from > at + 1e-9) path += `V100H${from * 100}`;
    path += `V${100 * (1 - block.share / ceiling)}H${to * 100}`;
    at = to;
  }
  return at < 1 - 1e-9 ? `${path}V100H100` : path;
}

interface FigureProps {
  histogram: HistogramName;
  left: Compared;
  right: Compared;
}

function CompareFigure({ histogram, left, right }: FigureProps) {
  const comparison = useMemo(
    () => compared(histogram, histogramsOf(left.content)[histogram], histogramsOf(right.content)[histogram]),
    [histogram, left.content, right.content],
  );
  const { rows, distance } = comparison;
  const axis = axisOf(
    histogram,
    rows.map(({ edge }) => edge),
  );
  const ceiling = Math.max(1e-9, ...[...comparison.left, ...comparison.right].map(({ share }) => share));
  const difference = differenceOf(comparison, left.title, right.title);
  const table = (): ChartTable => ({
    columns: [histogramTitles[histogram], left.title, right.title],
    rows: rows.map((row) => [formatEdge(histogram, row.edge), say(row.left), say(row.right)]),
  });
  return (
    <Figure title={histogramTitles[histogram]} unit="share of files" table={table}>
      <span className={classes.ceiling} aria-hidden>
        {say(ceiling)}
      </span>
      <div className={classes.plot} role="img" aria-label={difference}>
        <svg width="100%" height="100%">
          {comparison.left.map((block) => {
            const { from, to } = endsOf(axis, block);
            const height = block.share / ceiling;
            return (
              <rect
                key={block.last}
                x={percent(from + (to - from) * 0.06)}
                width={percent((to - from) * 0.88)}
                y={percent(1 - height)}
                height={percent(height)}
              />
            );
          })}
        </svg>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" className={classes.line}>
          <path d={lineOf(axis, comparison.right, ceiling)} vectorEffect="non-scaling-stroke" />
        </svg>
      </div>
      <AxisLabels axis={axis} />
      <p className={classes.difference}>
        {difference}
        {distance > 1e-9 && (
          <>
            {" "}
            <Term of="distance">Largest distance</Term> of the cumulative shares: {say(distance)}.
          </>
        )}
      </p>
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
