// Pure: histograms over time as columns of cells, the latest that fit.
import type { Bin } from "./histogram";

export interface Moment {
  ops_count: number;
  bins: readonly Bin[];
}

export interface Cells {
  /** Lower edges of the rows, the smallest first. */
  edges: readonly number[];
  /** By column, then by row: shares, 0 to 1. */
  columns: readonly { ops_count: number; shares: readonly number[] }[];
}

/** At most `most` columns, each the moment that was last before it is over. */
export function cellsOf(moments: readonly Moment[], most: number): Cells {
  const edges = [...new Set(moments.flatMap(({ bins }) => bins.map(({ edge }) => edge)))].sort(
    (a, b) => a - b,
  );
  const first = moments[0]?.ops_count ?? 0;
  const span = Math.max(1, (moments.at(-1)?.ops_count ?? 0) - first);
  const count = Math.min(most, moments.length);
  const latest = new Map<number, Moment>();
  for (const moment of moments) {
    const place = Math.min(count - 1, Math.floor(((moment.ops_count - first) / span) * count));
    latest.set(place, moment);
  }
  let shown = moments[0];
  const columns = Array.from({ length: count }, (_, place) => {
    shown = latest.get(place) ?? shown;
    const shares = new Map(shown?.bins.map(({ edge, observed_fraction }) => [edge, observed_fraction ?? 0]));
    return { ops_count: shown?.ops_count ?? 0, shares: edges.map((edge) => shares.get(edge) ?? 0) };
  });
  return { edges, columns };
}
