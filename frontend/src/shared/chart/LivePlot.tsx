// uPlot in React: made when its configuration changes, fed with setData, sized with its box, destroyed.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { spread } from "./lineLabels";

export type Ink = "observed" | "target" | "quiet";

export interface LineSpec {
  label: string;
  ink: Ink;
  dash?: readonly number[];
  width?: number;
}

export type Columns = readonly [x: readonly number[], ...ys: readonly (readonly (number | null)[])[]];

interface Props {
  lines: readonly LineSpec[];
  columns: Columns;
  height: number;
  isLogarithmic?: boolean;
  /** Values that the vertical axis always holds. */
  include?: readonly number[];
  formatX: (value: number) => string;
  formatY: (value: number) => string;
}

const LABEL_WIDTH = 84;
const AIR = 0.05;
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- a const enum cannot be imported under isolatedModules
const LOGARITHMIC: uPlot.Scale = { distr: 3 };
const FONT = "13px Inter, system-ui, sans-serif";

function inks(): Record<Ink, string> & { text: string } {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--patina-${name}`).trim();
  return { observed: read("observed"), target: read("target"), quiet: read("quiet"), text: read("text") };
}

/** Names each line at its end: no legend to look up. */
function drawLabels(plot: uPlot, lines: readonly LineSpec[], color: string) {
  const ratio = devicePixelRatio;
  const ends = lines.flatMap((line, index) => {
    const ys = plot.data[index + 1] ?? [];
    const last = ys.findLastIndex((y) => y !== null && y !== undefined);
    const y = ys[last];
    if (y === null || y === undefined) return [];
    return [{ label: line.label, top: plot.valToPos(y, "y", true) }];
  });
  const { left, top, width, height } = plot.bbox;
  const tops = spread(ends.map((end) => end.top), 15 * ratio, top, top + height); // prettier-ignore
  plot.ctx.save();
  plot.ctx.font = `${13 * ratio}px Inter, system-ui, sans-serif`;
  plot.ctx.fillStyle = color;
  plot.ctx.textBaseline = "middle";
  plot.ctx.textAlign = "left";
  ends.forEach((end, index) => plot.ctx.fillText(end.label, left + width + 6 * ratio, tops[index] ?? top));
  plot.ctx.restore();
}

/** All of the data and of `include`, with a little air, but none below zero. */
function rangeWith(include: readonly number[]) {
  return (_: uPlot, dataMin: number | null, dataMax: number | null): [number, number] => {
    const low = Math.min(dataMin ?? Infinity, ...include);
    const high = Math.max(dataMax ?? -Infinity, ...include);
    if (low > high) return [0, 1];
    const air = (high - low || high || 1) * AIR;
    return [Math.max(0, low - air), high + air];
  };
}

/** On a logarithmic axis only the powers of ten. */
function decades(_: uPlot, splits: readonly number[]): (number | null)[] {
  return splits.map((split) => {
    const power = Math.log10(split);
    return Math.abs(power - Math.round(power)) < 1e-6 ? split : null;
  });
}

function optionsOf(props: Props, width: number): uPlot.Options {
  const ink = inks();
  const axis = {
    stroke: ink.quiet,
    font: FONT,
    grid: { show: false },
    ticks: { size: 4, stroke: ink.quiet },
  };
  return {
    width,
    height: props.height,
    padding: [8, LABEL_WIDTH, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      y: props.isLogarithmic ? LOGARITHMIC : { range: rangeWith(props.include ?? []) },
    },
    axes: [
      { ...axis, size: 28, space: 70, values: (_, splits) => splits.map(props.formatX) },
      {
        ...axis,
        size: 60,
        ...(props.isLogarithmic && { filter: decades, ticks: { ...axis.ticks, filter: decades } }),
        values: (_, splits) =>
          splits.map((split: number | null) => (split === null ? "" : props.formatY(split))),
      },
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        stroke: ink[line.ink],
        width: line.width ?? 1.5,
        points: { show: false },
        spanGaps: true,
        ...(line.dash && { dash: [...line.dash] }),
      })),
    ],
    hooks: { draw: [(plot) => drawLabels(plot, props.lines, ink.text)] },
  };
}

export function LivePlot(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  const scheme = useComputedColorScheme();
  const { columns, height } = props;

  useEffect(() => {
    latest.current = props;
    plot.current?.setData(columns as uPlot.AlignedData);
  }, [columns, props]);

  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    const made = new uPlot(optionsOf(latest.current, host.clientWidth), latest.current.columns as uPlot.AlignedData, host); // prettier-ignore
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: host.clientWidth, height }));
    watcher.observe(host);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, height]);

  return <div ref={box} style={{ height, minWidth: 0, overflow: "hidden" }} aria-hidden />;
}
