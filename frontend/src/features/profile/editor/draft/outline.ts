// Pure: the saved weights of edited bins, to be drawn as a line over them.
import { totalOf, type EditedBins } from "./bin";
import type { WeightUnit } from "../table/weightUnit";

/** Returns the saved weights in the scale of the edited bins; null where nothing changed, or the edges did. */
export function outlineOf(saved: EditedBins, bins: EditedBins, unit: WeightUnit): readonly number[] | null {
  const hasSameEdges =
    saved.length === bins.length && saved.every(({ edge }, index) => edge === bins[index]?.edge);
  if (!hasSameEdges || saved.every(({ weight }, index) => weight === bins[index]?.weight)) return null;
  const scale = unit === "percent" ? totalOf(bins) / totalOf(saved) : 1;
  return saved.map(({ weight }) => weight * scale);
}
