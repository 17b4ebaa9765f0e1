// Pure: the geometry of a histogram with its target, and its summary for screen readers.
import type { FreeExtents, HistogramName } from "../../../api/client";
import { formatEdge, formatFraction, fraction } from "../../units";

export type Axis = HistogramName | "free_extents";

/** One bar. The axis is ordinal: all bins are equally wide, regardless of their span. */
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

export function barsOf(bins: readonly Bin[], ceiling: number): Bar[] {
  const step = EXTENT / Math.max(1, bins.length);
  return bins.map((bin, index) => {
    const height = (Math.min(bin.observed_fraction ?? 0, ceiling) / ceiling) * EXTENT;
    return { x: step * (index + GAP / 2), y: EXTENT - height, width: step * (1 - GAP), height };
  });
}

/** Returns a step line over the bins, interrupted where a bin has no target. */
export function targetPath(bins: readonly Bin[], ceiling: number): string {
  const step = EXTENT / Math.max(1, bins.length);
  let path = "";
  let isDrawing = false;
  bins.forEach((bin, index) => {
    if (bin.target_fraction === null) {
      isDrawing = false;
      return;
    }
    const y = round(EXTENT - (Math.min(bin.target_fraction, ceiling) / ceiling) * EXTENT);
    path += isDrawing ? `V${y}` : `M${round(step * index)} ${y}`;
    path += `H${round(step * (index + 1))}`;
    isDrawing = true;
  });
  return path;
}

/** Returns the bins with a label, at most `limit` of them and always the last. */
export function labelledBins(length: number, limit: number): number[] {
  const stride = Math.max(1, Math.ceil(length / limit));
  const indexes: number[] = [];
  for (let index = length - 1; index >= 0; index -= stride) indexes.unshift(index);
  return indexes;
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
