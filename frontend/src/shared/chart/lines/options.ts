// The options of uPlot: the axes, the lines, and what the mouse does.
import uPlot from "uplot";
import { drawLabels, drawMarks, FONT, inks, roomFor, widthOf, type LineSpec, type PlotMark } from "./drawing";
import { onSelect, onWheel, startPan, type Hands } from "./hands";
import { eachShortened, logarithmicRange, logarithmicTicks, type Quantity } from "./ticks";

export interface Look {
  lines: readonly LineSpec[];
  height: number;
  isLogarithmic: boolean;
  /** Values that the vertical axis always includes. */
  include: readonly number[];
  x: Quantity;
  y: Quantity;
}

const AIR = 0.05;
const LEAST_AXIS = 44;

/** Returns the range of the data and of `include`, with some margin, but none below zero. */
function rangeWith(include: readonly number[]) {
  return (_: uPlot, dataMin: number | null, dataMax: number | null): [number, number] => {
    const low = Math.min(dataMin ?? Infinity, ...include);
    const high = Math.max(dataMax ?? -Infinity, ...include);
    if (low > high) return [0, 1];
    const air = (high - low || high || 1) * AIR;
    return [Math.max(0, low - air), high + air];
  };
}

function hasOnePoint({ data }: uPlot, index: number): boolean {
  const values: readonly (number | null | undefined)[] = Array.from(data[index] ?? []);
  return values.filter((value) => value != null).length === 1;
}

/** Returns an axis as wide as its widest label: none is cut off. */
const sizeOf = (_: uPlot, labels: string[] | null) =>
  Math.max(LEAST_AXIS, ...(labels ?? []).map((label) => Math.ceil(widthOf(label)) + 14));

function yAxisOf({ isLogarithmic, y }: Look): uPlot.Axis {
  if (!isLogarithmic) return { size: sizeOf, values: (_, splits) => y.ticks(splits) };
  return {
    size: sizeOf,
    splits: (_, __, from, to) => logarithmicTicks(from, to),
    filter: (_, splits) => splits,
    values: (_, splits) => eachShortened(splits, y),
  };
}

export function optionsOf(look: Look, width: number, hands: Hands, marks: () => readonly PlotMark[]) {
  const ink = inks();
  const ticks = { size: 4, stroke: ink.quiet };
  const axis: uPlot.Axis = { stroke: ink.quiet, font: FONT, grid: { show: false }, ticks };
  const y = yAxisOf(look);
  const { distances, ticks: labelsOf } = look.x;
  const options: uPlot.Options = {
    width,
    height: look.height,
    padding: [8, (plot) => roomFor(look.lines, plot.width), 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: true, y: false, setScale: false },
      bind: {
        mousedown: (plot, _, select) => (event) => {
          if (event.shiftKey && event.button === 0) startPan(plot, event, hands);
          else select(event);
          return null;
        },
      },
    },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false },
      y: look.isLogarithmic
        ? { distr: 3, range: (_, least, most) => logarithmicRange(least, most) }
        : { range: rangeWith(look.include) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 76,
        values: (_, splits) => labelsOf(splits),
        ...(distances && { incrs: [...distances] }),
      },
      { ...axis, ...y, ticks: { ...ticks, ...(look.isLogarithmic && { filter: (_, splits) => splits }) } },
    ],
    series: [
      {},
      ...look.lines.map((line) => ({
        stroke: ink[line.ink],
        width: line.width ?? 1.5,
        auto: line.isUnbounded !== true,
        // A line of one sample would be invisible.
        points: { show: hasOnePoint, size: 6, fill: ink[line.ink] },
        spanGaps: true,
        ...(line.dash && { dash: [...line.dash] }),
      })),
    ],
    hooks: {
      ready: [
        (plot) =>
          plot.over.addEventListener("wheel", (event) => onWheel(plot, event, hands), { passive: false }),
      ],
      draw: [(plot) => drawMarks(plot, marks(), ink.quiet), (plot) => drawLabels(plot, look.lines, ink.text)],
      setCursor: [({ cursor: { idx }, data: [xs] }) => hands.point(idx == null ? null : (xs[idx] ?? null))],
      setSelect: [(plot) => onSelect(plot, hands)],
    },
  };
  return options;
}
