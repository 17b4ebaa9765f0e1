// uPlot in React: created when its configuration changes, updated with setData, sized with its box, destroyed. The part
// of the horizontal axis in view and the place under the pointer belong to the group of plots.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { thinned, together, type Curve } from "./curves";
import type { PlotMark } from "./drawing";
import type { Hands } from "./hands";
import { optionsOf, type Look } from "./options";
import { usePoint } from "./PlotGroup";
import { inTurn } from "./turns";
import { afterKey, held, placeAfterKey, type View } from "./view";

/** Of each line at most two points are drawn in each: more than the pixels of most plots. */
const INTERVALS = 500;

interface Props extends Look {
  /** In the order of the lines. */
  curves: readonly Curve[];
  marks: readonly PlotMark[];
  label: string;
  /** The whole horizontal axis. */
  all: View;
  view: View | null;
  onView: (view: View | null) => void;
}

/** Returns a range for the axis: a run with one sample has none. */
function wide({ from, to }: View): { min: number; max: number } {
  return to > from ? { min: from, max: to } : { min: from - 1, max: to + 1 };
}

/** Shows the place that is under the pointer over another plot. */
function point(plot: uPlot, at: number | null): void {
  plot.setCursor(at === null ? { left: -10, top: -10 } : { left: plot.valToPos(at, "x"), top: 0 }, false);
}

/** Makes a plot in the box; returns how to remove it. */
function mount(host: HTMLDivElement, latest: { current: Props }, setAt: (at: number | null) => void) {
  const hands: Hands = {
    point: (place) => {
      if (host.matches(":hover")) setAt(place);
    },
    look: (wanted) => latest.current.onView(wanted === null ? null : held(wanted, latest.current.all)),
    view: () => latest.current.view,
    all: () => latest.current.all,
  };
  const { height, lines } = latest.current;
  const options = optionsOf(latest.current, host.clientWidth, hands, () => latest.current.marks);
  const made = new uPlot(options, [[], ...lines.map(() => [])], host);
  const watcher = new ResizeObserver(() => made.setSize({ width: host.clientWidth, height }));
  watcher.observe(host);
  const leave = () => setAt(null);
  host.addEventListener("pointerleave", leave);
  const unmount = () => {
    host.removeEventListener("pointerleave", leave);
    watcher.disconnect();
    made.destroy();
  };
  return { made, unmount };
}

/** Returns what the keys do: they move the part in view, or the place whose values are shown. */
function useKeys({ all, view, onView }: Props) {
  const { at, setAt } = usePoint();
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Arrows pan a part in view; with Shift, or where all is in view, they move the place whose values are shown.
    const place = view === null || event.shiftKey ? placeAfterKey(event.key, at, view ?? all) : undefined;
    if (place !== undefined) {
      event.preventDefault();
      setAt(place);
      return;
    }
    const wanted = afterKey(event.key, view, all);
    if (wanted === undefined) return;
    event.preventDefault();
    onView(wanted);
  };
}

export function LivePlot(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  const scheme = useComputedColorScheme();
  const { at, setAt } = usePoint();
  const { curves, height, label, all, view, onView } = props;
  const { from, to } = view ?? all;
  const columns = useMemo(
    () => together(curves.map((curve) => thinned(curve, { from, to }, INTERVALS))) as uPlot.AlignedData,
    [curves, from, to],
  );
  const onKeyDown = useKeys(props);

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    let unmount: (() => void) | null = null;
    const cancel = inTurn(() => {
      ({ made: plot.current, unmount } = mount(host, latest, setAt));
    });
    return () => {
      cancel();
      unmount?.();
      plot.current = null;
    };
  }, [scheme, height, setAt]);

  useEffect(
    () =>
      inTurn(() => {
        plot.current?.batch((drawn: uPlot) => {
          drawn.setData(columns, false);
          drawn.setScale("x", wide({ from, to }));
        });
      }),
    [columns, from, to, scheme, height, props.marks],
  );

  useEffect(() => {
    if (plot.current !== null && box.current?.matches(":hover") === false) point(plot.current, at);
  }, [at, columns]);

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a picture that keys and a drag move
    <div
      ref={box}
      role="img"
      aria-label={label}
      aria-keyshortcuts="+ - ArrowLeft ArrowRight Shift+ArrowLeft Shift+ArrowRight Home Escape"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(null)}
      onDoubleClick={() => onView(null)}
      style={{ height, minWidth: 0, overflow: "hidden", touchAction: "pan-y" }}
    />
  );
}
