// Pure: the shares of two profiles at the edges of both. A bin of sizes or ages covers the range above the edge before
// it: where the other profile divides that range, its share is spread over the parts, evenly on the logarithmic axis.
import type { HistogramName } from "../../api/client";
import { placeOf } from "../../shared/chart/histogram/axis";
import { totalOf, type EditedBins } from "./editor/draft/bin";

/** The shares of both at an edge; null where a profile covers nothing up to it. */
export interface Row {
  edge: number;
  /** The doublings from the edge before; 1 where every bin is drawn as it is. */
  width: number;
  left: number | null;
  right: number | null;
}

export interface ComparedRows {
  rows: Row[];
  /** Whether shares are spread: bins of different widths are then drawn as shares for each doubling. */
  isSpread: boolean;
}

interface Range {
  low: number;
  high: number;
  share: number;
}

function rangesOf(histogram: HistogramName, bins: EditedBins): Range[] {
  const sorted = [...bins].sort((a, b) => a.edge - b.edge);
  const places = sorted.map(({ edge }) => placeOf(histogram, edge));
  const first = (places[1] ?? 1) - (places[0] ?? 0);
  const total = totalOf(bins);
  return sorted.map(({ weight }, index) => {
    const high = places[index] ?? 0;
    return { low: places[index - 1] ?? high - first, high, share: total > 0 ? weight / total : 0 };
  });
}

/** Returns the share of the ranges between `low` and `high`. */
function shareWithin(ranges: readonly Range[], low: number, high: number): number | null {
  const parts = ranges.filter((range) => range.low < high && range.high > low);
  if (parts.length === 0) return null;
  return parts.reduce((sum, range) => {
    const part = Math.min(range.high, high) - Math.max(range.low, low);
    return sum + (range.share * part) / (range.high - range.low);
  }, 0);
}

function spreadRows(
  histogram: HistogramName,
  left: EditedBins,
  right: EditedBins,
  edges: readonly number[],
): Row[] {
  const [ofLeft, ofRight] = [rangesOf(histogram, left), rangesOf(histogram, right)];
  let low = Math.min(...[...ofLeft, ...ofRight].map((range) => range.low));
  return edges.map((edge) => {
    const high = placeOf(histogram, edge);
    const row = {
      edge,
      width: high - low,
      left: shareWithin(ofLeft, low, high),
      right: shareWithin(ofRight, low, high),
    };
    low = high;
    return row;
  });
}

function sharesAt(bins: EditedBins, edges: readonly number[]): (number | null)[] {
  const total = totalOf(bins);
  const shares = new Map(bins.map(({ edge, weight }) => [edge, total > 0 ? weight / total : 0]));
  return edges.map((edge) => shares.get(edge) ?? null);
}

export function rowsOf(histogram: HistogramName, left: EditedBins, right: EditedBins): ComparedRows {
  const edges = [...new Set([...left, ...right].map(({ edge }) => edge))].sort((a, b) => a - b);
  const hasSameEdges = left.length === edges.length && right.length === edges.length;
  // A depth is a single number: there is nothing between two of them.
  if (histogram !== "depth" && !hasSameEdges)
    return { rows: spreadRows(histogram, left, right, edges), isSpread: true };
  const [ofLeft, ofRight] = [sharesAt(left, edges), sharesAt(right, edges)];
  const rows = edges.map((edge, index) => ({
    edge,
    width: 1,
    left: ofLeft[index] ?? null,
    right: ofRight[index] ?? null,
  }));
  return { rows, isSpread: false };
}

export function isSame({ left, right }: Row): boolean {
  return left !== null && right !== null && Math.abs(left - right) < 1e-9;
}

/** Returns the largest difference of the cumulative shares. */
export function distanceOf(rows: readonly Row[]): number {
  let [difference, most] = [0, 0];
  for (const { left, right } of rows) {
    difference += (left ?? 0) - (right ?? 0);
    most = Math.max(most, Math.abs(difference));
  }
  return most;
}
