// Pure: the geometry of a histogram with its target, and its summary for screen readers.
import type { FreeExtents, HistogramName } from "../../../api/client";
import { formatEdge, formatFraction, fraction } from "../../units";
import type { BinAxis } from "./axis";

export type Axis = HistogramName | "free_extents";

/** One bar. */
export interface Bin {
  edge: number;
  target_fraction: number | null;
  observed_fraction: number | null;
}

/** Whether a run creates the files of an age bin later, now, or has created them. */
export type WindowState = "future" | "filling" | "closed";

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The drawing is 100 wide and 100 high; the page stretches it. */
export const EXTENT = 100;
const GAP = 0.16;

/** Returns the top of the value axis: the highest value. */
export function ceilingOf(bins: readonly Bin[]): number {
  const highest = Math.max(0, ...bins.map((b) => Math.max(b.target_fraction ?? 0, b.observed_fraction ?? 0)));
  return highest === 0 ? 1 : highest;
}

/** Returns the bars in the cells of their axis. */
export function barsOf(bins: readonly Bin[], { cells }: BinAxis, ceiling: number): Bar[] {
  return cells.map(({ left, width }, index) => {
    const height = (Math.min(bins[index]?.observed_fraction ?? 0, ceiling) / ceiling) * EXTENT;
    const x = EXTENT * (left + (width * GAP) / 2);
    return { x, y: EXTENT - height, width: EXTENT * width * (1 - GAP), height };
  });
}

/** Returns a step line over the bins, interrupted where a bin has no target and where the axis has no bin. */
export function targetPath(bins: readonly Bin[], { cells }: BinAxis, ceiling: number): string {
  let path = "";
  let drawn_to: number | null = null;
  cells.forEach(({ left, width }, index) => {
    const share = bins[index]?.target_fraction ?? null;
    if (share === null) {
      drawn_to = null;
      return;
    }
    const y = round(EXTENT - (Math.min(share, ceiling) / ceiling) * EXTENT);
    const [from, to] = [round(EXTENT * left), round(EXTENT * (left + width))];
    path += drawn_to === from ? `V${y}` : `M${from} ${y}`;
    path += `H${to}`;
    drawn_to = to;
  });
  return path;
}

export function summaryOf(axis: Axis, bins: readonly Bin[], windows: readonly WindowState[] = []): string {
  const say = (bin: Bin, value: number) =>
    `${formatFraction(fraction(value)).text} at ${formatEdge(axis, bin.edge)}`;
  const peak = (key: "target_fraction" | "observed_fraction") => {
    const known = bins.filter((bin) => bin[key] !== null);
    const top = known.reduce<Bin | null>(
      (best, bin) => ((bin[key] ?? 0) > (best?.[key] ?? -1) ? bin : best),
      null,
    );
    return top === null ? null : say(top, top[key] ?? 0);
  };
  const target = peak("target_fraction");
  const observed = peak("observed_fraction");
  const parts = [`${bins.length} bins`];
  if (target !== null) parts.push(`target highest ${target}`);
  if (observed !== null) parts.push(`observed highest ${observed}`);
  for (const state of ["closed", "filling", "future"] as const) {
    const states_count = windows.filter((each) => each === state).length;
    if (states_count > 0) parts.push(`${states_count} ${state}`);
  }
  return `${parts.join(", ")}.`;
}

/** Returns the share of the free space in extents of each size. */
export function freeSpaceBins(free: FreeExtents): Bin[] {
  const total = Math.max(1, free.free_blocks_count);
  return free.bins.map((bin) => ({
    edge: bin.min_blocks * free.block_size_bytes,
    target_fraction: null,
    observed_fraction: bin.blocks_count / total,
  }));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
