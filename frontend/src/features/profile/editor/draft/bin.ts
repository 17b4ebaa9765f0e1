// The editor's bins: one type for the three histograms, whose edges have different names.
import type { HistogramName, ProfileVersion } from "../../../../api/client";

/** `edge` is bytes, directory depth or relative age; `subdirs` applies to depth only, else it is 0. */
export interface EditedBin {
  readonly edge: number;
  readonly weight: number;
  readonly subdirs: number;
}

export type EditedBins = readonly EditedBin[];
export type EditedHistograms = Readonly<Record<HistogramName, EditedBins>>;
/** The histograms in the API's form. */
export type HistogramsContent = Pick<ProfileVersion, HistogramName>;

export const histogramNames: readonly HistogramName[] = ["size", "depth", "age"];

export function histogramsOf(content: HistogramsContent): EditedHistograms {
  return {
    size: content.size.map(({ bytes, weight }) => ({ edge: bytes, weight, subdirs: 0 })),
    depth: content.depth.map(({ depth, weight, subdirs }) => ({ edge: depth, weight, subdirs })),
    age: content.age.map(({ age, weight }) => ({ edge: age, weight, subdirs: 0 })),
  };
}

export function contentOf(histograms: EditedHistograms): HistogramsContent {
  return {
    size: histograms.size.map(({ edge, weight }) => ({ bytes: edge, weight })),
    depth: histograms.depth.map(({ edge, weight, subdirs }) => ({ depth: edge, weight, subdirs })),
    age: histograms.age.map(({ edge, weight }) => ({ age: edge, weight })),
  };
}

export function totalOf(bins: EditedBins): number {
  return bins.reduce((sum, { weight }) => sum + weight, 0);
}

function areBinsEqual(a: EditedBins, b: EditedBins): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((bin, index) => {
    const other = b[index];
    return bin.edge === other?.edge && bin.weight === other.weight && bin.subdirs === other.subdirs;
  });
}

export function areEqual(a: EditedHistograms, b: EditedHistograms): boolean {
  return histogramNames.every((name) => areBinsEqual(a[name], b[name]));
}
