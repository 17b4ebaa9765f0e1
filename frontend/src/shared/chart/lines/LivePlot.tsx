// uPlot in React: created when its configuration changes, updated with setData, sized with its box, destroyed. The mouse
// or keys select a part of the horizontal axis, which stays in view while the run continues.
import { useComputedColorScheme } from "@mantine/core";
import { useCallback, useEffect, useRef, type KeyboardEvent } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { spread } from "./lineLabels";
import { afterDrag, afterKey, afterWheel, held, type View } from "./view";

export type Ink = "observed" | "target" | "quiet" | "text";

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
  /** Values that the vertical axis always includes. */
  include?: readonly number[];
  formatX: (value: number) => string;
  formatY: (value: number) => string;
  label: string;
  /** The row under the pointer; null when it leaves. */
  onPoint?: (row: number | null) => void;
}

const LABEL_WIDTH = 84;
const AIR = 0.05;
const LEAST_DRAG_PX = 6;
const LOGARITHMIC: uPlot.Scale = { distr: 3 };
const FONT = "13px Inter, system-ui, sans-serif";

function inks(): Record<Ink, string> {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--patina-${name}`).trim();
  return { observed: read("observed"), target: read("target"), quiet: read("quiet"), text: read("text") };
}

/** Draws the name of each line at its end, in place of a legend. */
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
  const tops = spread(ends.map((end) => end.top), 15 * ratio, top, top + height); // oxfmt-ignore
  plot.ctx.save();
  plot.ctx.font = `${13 * ratio}px Inter, system-ui, sans-serif`;
  plot.ctx.fillStyle = color;
  plot.ctx.textBaseline = "middle";
  plot.ctx.textAlign = "left";
  ends.forEach((end, index) => plot.ctx.fillText(end.label, left + width + 6 * ratio, tops[index] ?? top));
  plot.ctx.restore();
}

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

/** Returns only the powers of ten, for a logarithmic axis. */
function decades(_: uPlot, splits: readonly number[]): (number | null)[] {
  return splits.map((split) => {
    const power = Math.log10(split);
    return Math.abs(power - Math.round(power)) < 1e-6 ? split : null;
  });
}

function allOf([xs]: Columns): View {
  return { from: xs[0] ?? 0, to: xs.at(-1) ?? 0 };
}

interface Hands {
  point: (row: number | null) => void;
  look: (view: View | null) => void;
  /** The part in view; null: the whole axis. */
  view: () => View | null;
  all: () => View;
}

/** Help on zooming and panning, for the page of the plot. */
export const plotHelp =
  "Drag over a plot to zoom in; Shift-drag or arrow keys pan; Ctrl+wheel, + or − zoom; double-click resets the view";

/** Pans the plot during a drag with Shift. */
function startPan(plot: uPlot, { clientX }: MouseEvent, hands: Hands): void {
  const begun = hands.view();
  const width = plot.over.clientWidth;
  const done = new AbortController();
  const move = (event: MouseEvent) =>
    hands.look(afterDrag((event.clientX - clientX) / width, begun, hands.all()));
  document.addEventListener("mousemove", move, { signal: done.signal });
  document.addEventListener("mouseup", () => done.abort(), { signal: done.signal });
}

/** Zooms only with Ctrl, as maps do: otherwise the wheel scrolls the page. */
function onWheel(plot: uPlot, event: WheelEvent, hands: Hands): void {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const box = plot.over.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  hands.look(afterWheel(event.deltaY, part, hands.view(), hands.all()));
}

function optionsOf(props: Props, width: number, hands: Hands): uPlot.Options {
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
        // A line of one sample would be invisible.
        points: { show: (plot: uPlot) => plot.data[0].length === 1, size: 6, fill: ink[line.ink] },
        spanGaps: true,
        ...(line.dash && { dash: [...line.dash] }),
      })),
    ],
    hooks: {
      ready: [
        (plot) =>
          plot.over.addEventListener("wheel", (event) => onWheel(plot, event, hands), { passive: false }),
      ],
      draw: [(plot) => drawLabels(plot, props.lines, ink.text)],
      setCursor: [(plot) => hands.point(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width: dragged } = plot.select;
          if (dragged < LEAST_DRAG_PX) return;
          hands.look({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + dragged, "x") });
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

export function LivePlot(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  const view = useRef<View | null>(null);
  const scheme = useComputedColorScheme();
  const { columns, height, label } = props;

  const look = useCallback((wanted: View | null) => {
    const all = allOf(latest.current.columns);
    view.current = wanted === null ? null : held(wanted, all);
    const { from, to } = view.current ?? all;
    if (to > from) plot.current?.setScale("x", { min: from, max: to });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const wanted = afterKey(event.key, view.current, allOf(columns));
    if (wanted === undefined) return;
    event.preventDefault();
    look(wanted);
  };

  useEffect(() => {
    latest.current = props;
    const isWhole = view.current === null;
    plot.current?.setData(columns as uPlot.AlignedData, isWhole);
    if (!isWhole) plot.current?.redraw();
  }, [columns, props]);

  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    const hands: Hands = {
      point: (row) => latest.current.onPoint?.(row),
      look,
      view: () => view.current,
      all: () => allOf(latest.current.columns),
    };
    const made = new uPlot(optionsOf(latest.current, host.clientWidth, hands), latest.current.columns as uPlot.AlignedData, host); // oxfmt-ignore
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: host.clientWidth, height }));
    watcher.observe(host);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, height, look]);

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a picture that keys and a drag move
    <div
      ref={box}
      role="img"
      aria-label={label}
      aria-keyshortcuts="+ - ArrowLeft ArrowRight Home"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={() => look(null)}
      style={{ height, minWidth: 0, overflow: "hidden", touchAction: "pan-y" }}
    />
  );
}
