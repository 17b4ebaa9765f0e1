// Pure: histograms over time as columns of cells, the latest that fit.
import type { Bin } from "../histogram/histogram";

export interface Moment {
  /** The position on the horizontal axis. */
  at: number;
  bins: readonly Bin[];
}

export interface Cells {
  /** Lower edges of the rows, the smallest first. */
  edges: readonly number[];
  /** By column, then by row: shares, 0 to 1. */
  columns: readonly { at: number; shares: readonly number[] }[];
}

const FAINTEST = 0.08; // every share above zero stays visible

/** Returns the opacity of a share, 0 to 1. */
export function strengthOf(share: number): number {
  return share === 0 ? 0 : FAINTEST + (1 - FAINTEST) * Math.sqrt(share);
}

/** Returns every edge that occurs. */
function edgesOf(moments: readonly Moment[]): number[] {
  const all = new Set(moments.flatMap(({ bins }) => bins.map(({ edge }) => edge)));
  return [...all].sort((a, b) => a - b);
}

function columnOf(edges: readonly number[], moment: Moment | undefined) {
  const shares = new Map(moment?.bins.map(({ edge, observed_fraction }) => [edge, observed_fraction ?? 0]));
  return { at: moment?.at ?? 0, shares: edges.map((edge) => shares.get(edge) ?? 0) };
}

/** Returns one column for each moment. */
export function everyMoment(moments: readonly Moment[]): Cells {
  const edges = edgesOf(moments);
  return { edges, columns: moments.map((moment) => columnOf(edges, moment)) };
}

/** Returns at most `most` columns, each with the last moment of its interval. */
export function cellsOf(moments: readonly Moment[], most: number): Cells {
  const edges = edgesOf(moments);
  const first = moments[0]?.at ?? 0;
  const span = Math.max(1, (moments.at(-1)?.at ?? 0) - first);
  const count = Math.min(most, moments.length);
  const latest = new Map<number, Moment>();
  for (const moment of moments) {
    const place = Math.min(count - 1, Math.floor(((moment.at - first) / span) * count));
    latest.set(place, moment);
  }
  let shown = moments[0];
  const columns = Array.from({ length: count }, (_, place) => {
    shown = latest.get(place) ?? shown;
    return columnOf(edges, shown);
  });
  return { edges, columns };
}
