// The bars of one histogram, drawn over its axis and edited in place.
import type { RefObject } from "react";
import type { HistogramName } from "../../../../api/client";
import { formatEdge } from "../../../../shared/units";
import type { BinAxis } from "../../../../shared/chart/histogram/axis";
import { useBinAxis } from "../../../../shared/chart/histogram/useBinAxis";
import { AxisLabels, percent } from "../../../../shared/chart/histogram/AxisLabels";
import { Bar, type BarHandlers, type Mark } from "./Bar";
import classes from "./Bars.module.css";
import { totalOf, type EditedBins } from "../draft/bin";
import type { Flaw } from "../draft/flaw";
import { PLOT_PX } from "./gesture";
import { rangeOf, type Selection } from "./selection";
import { formatWeight, shownOf, type WeightUnit } from "../table/weightUnit";

/** A remark on a bin beside its weight; screen readers read the sentence in place of the mark. */
export interface BinMark {
  mark: Mark;
  note: string;
}

/** Keyed by the edge of the bin: bins may have moved since the forecast. */
export type BinMarks = ReadonlyMap<number, BinMark>;

/** Weights drawn over the bars as a line, before they are applied. */
export type Overlay = readonly number[];

interface Props {
  histogram: HistogramName;
  bins: EditedBins;
  unit: WeightUnit;
  ceiling: number;
  selection: Selection | null;
  marks: BinMarks;
  flaws: readonly Flaw[];
  overlay: Overlay | null;
  handlers: BarHandlers;
  frame: RefObject<SVGSVGElement | null>;
}

const edgeWords: Record<HistogramName, string> = { size: "Size", depth: "Depth", age: "Younger than" };

/** As the read-out says it: the edge is the upper end of a bin. */
export function rangeOfBin(histogram: HistogramName, edge: number): string {
  const name = histogram === "size" ? "Size up to" : edgeWords[histogram];
  return `${name} ${formatEdge(histogram, edge)}`;
}

export function nameOfBin(histogram: HistogramName, edge: number): string {
  return `${edgeWords[histogram]} ${formatEdge(histogram, edge)}`;
}

function OverlayLine({
  axis,
  overlay,
  heightOf,
}: {
  axis: BinAxis;
  overlay: Overlay;
  heightOf: (weight: number) => number;
}) {
  const points = axis.cells.map(({ left, width }, index) => {
    const y = PLOT_PX * (1 - Math.min(1.02, heightOf(overlay[index] ?? 0)));
    return { x1: left * 100, x2: (left + width) * 100, y: Math.round(y * 100) / 100 };
  });
  const path = points.map(({ x1, x2, y }, index) => `${index === 0 ? "M" : "L"}${x1} ${y}H${x2}`).join("");
  return (
    <svg
      className={classes.overlay}
      viewBox={`0 0 100 ${PLOT_PX}`}
      preserveAspectRatio="none"
      height={PLOT_PX}
    >
      <path d={path} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function CriticalLabel({ axis, bins, marks }: { axis: BinAxis; bins: EditedBins; marks: BinMarks }) {
  const index = bins.findIndex(({ edge }) => marks.get(edge)?.mark === "critical");
  const cell = axis.cells[index];
  if (cell === undefined) return null;
  const isLeft = cell.left + cell.width > 0.7;
  return (
    <text
      className={classes.label}
      x={percent(isLeft ? cell.left : cell.left + cell.width)}
      dx={isLeft ? -5 : 5}
      y={18}
      textAnchor={isLeft ? "end" : "start"}
      aria-hidden
    >
      critical
    </text>
  );
}

/** The number of directories at each depth, as bars below the axis. */
function Directories({ axis, bins }: { axis: BinAxis; bins: EditedBins }) {
  const most = Math.max(1, ...bins.map(({ subdirs }) => subdirs));
  return (
    <div className={classes.directories} aria-hidden>
      <svg width="100%" height={28}>
        {bins.map(({ subdirs }, index) => {
          const cell = axis.cells[index] ?? { left: 0, width: 0 };
          const x = percent(cell.left + cell.width * 0.06);
          return (
            <rect key={index} x={x} y={0} width={percent(cell.width * 0.88)} height={(subdirs / most) * 28} />
          );
        })}
      </svg>
      <span>directories, {most} at most</span>
    </div>
  );
}

/** Returns the mark of a bin; a flaw takes precedence over the forecast's mark. */
function markOf(index: number, edge: number, flaws: readonly Flaw[], marks: BinMarks): BinMark | undefined {
  const flaw = flaws.find((found) => found.index === index);
  return flaw === undefined ? marks.get(edge) : { mark: "flawed", note: flaw.message };
}

export function Bars({
  histogram,
  bins,
  unit,
  ceiling,
  marks,
  flaws,
  overlay,
  frame,
  handlers,
  ...props
}: Props) {
  const axis = useBinAxis(histogram, bins);
  const total = totalOf(bins);
  const heightOf = (weight: number) => shownOf(weight, total, unit) / ceiling;
  const range = props.selection === null ? null : rangeOf(props.selection);
  return (
    <>
      <svg
        ref={frame}
        className={classes.plot}
        width="100%"
        height={PLOT_PX}
        role="group"
        aria-label={`Bars of ${histogram}`}
      >
        {bins.map(({ edge, weight }, index) => {
          const cell = axis.cells[index] ?? { left: 0, width: 0 };
          const mark = markOf(index, edge, flaws, marks);
          return (
            <Bar
              key={index}
              index={index}
              name={nameOfBin(histogram, edge)}
              left={cell.left}
              width={cell.width}
              height={heightOf(weight)}
              shown={shownOf(weight, total, unit)}
              ceiling={ceiling}
              text={formatWeight(weight, total, unit)}
              isSelected={range !== null && index >= range.first && index <= range.last}
              mark={mark?.mark ?? null}
              note={mark?.note ?? null}
              handlers={handlers}
            />
          );
        })}
        <CriticalLabel axis={axis} bins={bins} marks={marks} />
      </svg>
      {overlay !== null && <OverlayLine axis={axis} overlay={overlay} heightOf={heightOf} />}
      <AxisLabels axis={axis} />
      {histogram === "depth" && <Directories axis={axis} bins={bins} />}
    </>
  );
}
