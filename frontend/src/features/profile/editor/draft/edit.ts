// Pure: the edits of one histogram's bins. An impossible edit returns the same bins.
import type { HistogramName } from "../../../../api/client";
import { totalOf, type EditedBin, type EditedBins } from "./bin";
import { limits } from "./flaw";

/** Bins from `first` to `last`, both included. */
export interface BinRange {
  first: number;
  last: number;
}

/** Rounds a dragged or computed weight: its fifteenth digit has no meaning. */
export function rounded(value: number, digits = 6): number {
  return Number(value.toPrecision(digits));
}

function changed(bins: EditedBins, index: number, change: Partial<EditedBin>): EditedBins {
  const bin = bins[index];
  if (bin === undefined) return bins;
  return bins.with(index, { ...bin, ...change });
}

export const withWeight = (bins: EditedBins, index: number, weight: number) =>
  changed(bins, index, { weight: Math.min(limits.weight, Math.max(0, weight)) });
export const withEdge = (bins: EditedBins, index: number, edge: number) => changed(bins, index, { edge });
export const withSubdirs = (bins: EditedBins, index: number, subdirs: number) =>
  changed(bins, index, { subdirs });

/** Returns the edge midway between two others on the axis, or null where there is no room. */
export function edgeBetween(name: HistogramName, low: number, high: number): number | null {
  const middle = name === "depth" || low <= 0 ? (low + high) / 2 : Math.sqrt(low * high);
  const edge = name === "age" ? rounded(middle) : Math.round(middle);
  return edge > low && edge < high ? edge : null;
}

/** Returns the edge of a new bin after `index`: between its neighbours, or one step beyond the last. */
export function edgeAfter(name: HistogramName, bins: EditedBins, index: number): number | null {
  const bin = bins[index];
  if (bin === undefined) return name === "size" ? 4096 : 1;
  const next = bins[index + 1];
  if (next !== undefined) return edgeBetween(name, bin.edge, next.edge);
  const before = bins[index - 1];
  const ratio = before !== undefined && before.edge > 0 ? bin.edge / before.edge : 2;
  const beyond = name === "depth" ? bin.edge + 1 : Math.max(bin.edge * Math.max(ratio, 1.01), 1);
  const edge = name === "age" ? rounded(beyond) : Math.round(beyond);
  return edge > bin.edge && edge <= limits[name].edge ? edge : null;
}

/** Inserts a bin without files, which changes no share until it gets a weight. */
export function insertAfter(name: HistogramName, bins: EditedBins, index: number): EditedBins {
  const edge = edgeAfter(name, bins, index);
  if (edge === null || bins.length >= limits[name].bins) return bins;
  return bins.toSpliced(index + 1, 0, { edge, weight: 0, subdirs: name === "depth" ? 1 : 0 });
}

/** Moves half of the files to an edge between the bin before and this one. */
export function split(name: HistogramName, bins: EditedBins, index: number): EditedBins {
  const bin = bins[index];
  if (bin === undefined || bins.length >= limits[name].bins) return bins;
  const before = bins[index - 1];
  const low = before?.edge ?? (name === "depth" ? -1 : bin.edge / 4);
  const edge = edgeBetween(name, low, bin.edge);
  if (edge === null) return bins;
  const weight = bin.weight / 2;
  const subdirs = Math.floor(bin.subdirs / 2);
  const lower = { edge, weight, subdirs };
  return bins.toSpliced(index, 1, lower, { ...bin, weight, subdirs: bin.subdirs - subdirs });
}

/** Merges bins into one. Sizes and depths keep their mean; an age bin keeps its upper edge, which defines it. */
export function merge(name: HistogramName, bins: EditedBins, { first, last }: BinRange): EditedBins {
  const merged = bins.slice(first, last + 1);
  const end = merged.at(-1);
  if (end === undefined || merged.length < 2) return bins;
  const weight = totalOf(merged);
  const mean = merged.reduce((sum, bin) => sum + bin.edge * bin.weight, 0) / weight;
  const edge = name === "age" || weight === 0 ? end.edge : Math.round(mean);
  const subdirs = merged.reduce((sum, bin) => sum + bin.subdirs, 0);
  return bins.toSpliced(first, merged.length, { edge, weight, subdirs });
}

/** Removes bins, but keeps at least one: a histogram has no meaning without bins. */
export function remove(bins: EditedBins, { first, last }: BinRange): EditedBins {
  const rest = bins.toSpliced(first, last - first + 1);
  return rest.length === 0 ? bins : rest;
}

export function scale(bins: EditedBins, { first, last }: BinRange, factor: number): EditedBins {
  if (!Number.isFinite(factor) || factor < 0) return bins;
  return bins.map((bin, index) =>
    index < first || index > last
      ? bin
      : { ...bin, weight: Math.min(limits.weight, rounded(bin.weight * factor, 9)) },
  );
}

/** Moves a quarter of each bin to each neighbour in the range; the sum of the range does not change. */
export function smooth(bins: EditedBins, { first, last }: BinRange): EditedBins {
  const at = (index: number) => bins[Math.min(last, Math.max(first, index))]?.weight ?? 0;
  return bins.map((bin, index) =>
    index < first || index > last
      ? bin
      : { ...bin, weight: rounded((at(index - 1) + 2 * at(index) + at(index + 1)) / 4, 9) },
  );
}
