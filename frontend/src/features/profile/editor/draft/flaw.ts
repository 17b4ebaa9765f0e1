// The flaws that make a histogram invalid, with their bins.
import type { HistogramName } from "../../../../api/client";
import { formatEdge } from "../../../../shared/units";
import { totalOf, type EditedBin, type EditedBins } from "./bin";

export interface Flaw {
  histogram: HistogramName;
  /** Null for a flaw of the whole histogram. */
  index: number | null;
  field: "edge" | "weight" | "subdirs" | null;
  message: string;
}

interface Limit {
  bins: number;
  edge: number;
}

/** The server's limits, except for the number of bins: more than 256 bars cannot be edited by hand. */
export const limits = {
  size: { bins: 256, edge: 2 ** 50 },
  depth: { bins: 65, edge: 64 },
  age: { bins: 256, edge: 1e18 },
  weight: 1e15,
  subdirs: 1_000_000,
} as const satisfies Record<HistogramName, Limit> & { weight: number; subdirs: number };

const edgeWords: Record<HistogramName, string> = {
  size: "a whole number of bytes from 0 to 1 PiB",
  depth: "a whole number from 0 to 64",
  age: "above 0",
};

function isEdge(name: HistogramName, edge: number): boolean {
  if (!Number.isFinite(edge) || edge > limits[name].edge) return false;
  return name === "age" ? edge > 0 : edge >= 0 && Number.isInteger(edge);
}

function edgeFlaw(name: HistogramName, { edge }: EditedBin, before: EditedBin | undefined): string | null {
  if (!isEdge(name, edge)) return `The edge must be ${edgeWords[name]}.`;
  if (before === undefined || edge > before.edge) return null;
  return `The edge ${formatEdge(name, edge)} must be greater than ${formatEdge(name, before.edge)} before it.`;
}

function findFlaws(histogram: HistogramName, bins: EditedBins): Flaw[] {
  const flaws: Flaw[] = [];
  const limit = limits[histogram].bins;
  if (bins.length === 0)
    flaws.push({ histogram, index: null, field: null, message: "There must be at least one bin." });
  if (bins.length > limit) {
    const message = `There are ${bins.length} bins; the limit is ${limit}. Merge or remove some.`;
    flaws.push({ histogram, index: null, field: null, message });
  }
  bins.forEach((bin, index) => {
    const wrong = edgeFlaw(histogram, bin, bins[index - 1]);
    if (wrong !== null) flaws.push({ histogram, index, field: "edge", message: wrong });
    if (!(bin.weight >= 0 && bin.weight <= limits.weight))
      flaws.push({ histogram, index, field: "weight", message: "The weight must be 0 or more." });
    if (!Number.isInteger(bin.subdirs) || bin.subdirs < 0 || bin.subdirs > limits.subdirs)
      flaws.push({
        histogram,
        index,
        field: "subdirs",
        message: "Directories must be a whole number up to 1 million.",
      });
  });
  if (bins.length > 0 && !(totalOf(bins) > 0))
    flaws.push({
      histogram,
      index: null,
      field: "weight",
      message: "At least one bin needs a weight above 0.",
    });
  return flaws;
}

const found = {
  size: new WeakMap<EditedBins, Flaw[]>(),
  depth: new WeakMap<EditedBins, Flaw[]>(),
  age: new WeakMap<EditedBins, Flaw[]>(),
};

/** Returns the flaws of the bins, cached: bins never change once made. */
export function flawsOf(histogram: HistogramName, bins: EditedBins): readonly Flaw[] {
  const known = found[histogram].get(bins);
  if (known !== undefined) return known;
  const flaws = findFlaws(histogram, bins);
  found[histogram].set(bins, flaws);
  return flaws;
}
