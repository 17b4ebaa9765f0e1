// Pure: the shares of two profiles at the edges of both, each at its own bins, as the editor shows them. For the distance
// a bin of sizes or ages, which covers the range above the edge before it, is spread over the bins of the other profile
// that divide it, evenly on the logarithmic axis.
import type { HistogramName } from "../../api/client";
import { placeOf } from "../../shared/chart/histogram/axis";
import { totalOf, type EditedBins } from "./editor/draft/bin";

/** The shares of both at an edge; null where a profile has no such bin. */
export interface Row {
  edge: number;
  left: number | null;
  right: number | null;
}

/** A bin over the rows that it covers, both included. */
export interface Block {
  first: number;
  last: number;
  share: number;
}

export interface Comparison {
  rows: Row[];
  /** Whether both have the same bins. */
  hasSameEdges: boolean;
  left: Block[];
  right: Block[];
  /** The largest difference of the cumulative shares. */
  distance: number;
}

interface Range {
  edge: number;
  low: number;
  high: number;
  share: number;
}

function rangesOf(histogram: HistogramName, bins: EditedBins): Range[] {
  const sorted = [...bins].sort((a, b) => a.edge - b.edge);
  const places = sorted.map(({ edge }) => placeOf(histogram, edge));
  const first = (places[1] ?? 1) - (places[0] ?? 0);
  const total = totalOf(bins);
  return sorted.map(({ edge, weight }, index) => {
    const high = places[index] ?? 0;
    return { edge, low: places[index - 1] ?? high - first, high, share: total > 0 ? weight / total : 0 };
  });
}

/** Returns the share of all files up to a place on the axis. */
function cumulativeAt(ranges: readonly Range[], place: number): number {
  return ranges.reduce((sum, { low, high, share }) => {
    const part = Math.min(Math.max((place - low) / (high - low), 0), 1);
    return sum + share * part;
  }, 0);
}

/** Returns the bins over the rows: a depth is a single number, a size or an age reaches down to the bin before. */
function blocksOf(histogram: HistogramName, bins: EditedBins, edges: readonly number[]): Block[] {
  let next = 0;
  return rangesOf(histogram, bins).map(({ edge, low, share }) => {
    const last = edges.indexOf(edge);
    const reached = edges.findIndex((each) => placeOf(histogram, each) > low + 1e-9);
    const first = histogram === "depth" ? last : Math.max(next, Math.min(reached, last));
    next = last + 1;
    return { first, last, share };
  });
}

function sharesAt(bins: EditedBins, edges: readonly number[]): (number | null)[] {
  const total = totalOf(bins);
  const shares = new Map(bins.map(({ edge, weight }) => [edge, total > 0 ? weight / total : 0]));
  return edges.map((edge) => shares.get(edge) ?? null);
}

function distanceOf(histogram: HistogramName, left: EditedBins, right: EditedBins, rows: readonly Row[]) {
  const [ofLeft, ofRight] = [rangesOf(histogram, left), rangesOf(histogram, right)];
  let [ofBoth, most] = [0, 0];
  for (const row of rows) {
    const place = placeOf(histogram, row.edge);
    // There is nothing between two depths.
    ofBoth =
      histogram === "depth"
        ? ofBoth + (row.left ?? 0) - (row.right ?? 0)
        : cumulativeAt(ofLeft, place) - cumulativeAt(ofRight, place);
    most = Math.max(most, Math.abs(ofBoth));
  }
  return most;
}

export function compared(histogram: HistogramName, left: EditedBins, right: EditedBins): Comparison {
  const edges = [...new Set([...left, ...right].map(({ edge }) => edge))].sort((a, b) => a - b);
  const [ofLeft, ofRight] = [sharesAt(left, edges), sharesAt(right, edges)];
  const rows = edges.map((edge, index) => ({
    edge,
    left: ofLeft[index] ?? null,
    right: ofRight[index] ?? null,
  }));
  return {
    rows,
    hasSameEdges: left.length === edges.length && right.length === edges.length,
    left: blocksOf(histogram, left, edges),
    right: blocksOf(histogram, right, edges),
    distance: distanceOf(histogram, left, right, rows),
  };
}

export function isSame({ left, right }: Row): boolean {
  return left !== null && right !== null && Math.abs(left - right) < 1e-9;
}
