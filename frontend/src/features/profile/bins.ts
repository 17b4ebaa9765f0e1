// Converts a profile's weights to the fractions that a chart draws.
import type { HistogramName, ProfileVersion } from "../../api/client";
import type { Bin } from "../../shared/chart/histogram/histogram";

export function binsOf(version: ProfileVersion): Record<HistogramName, Bin[]> {
  return {
    size: normalised(version.size.map((bin) => [bin.bytes, bin.weight])),
    depth: normalised(version.depth.map((bin) => [bin.depth, bin.weight])),
    age: normalised(version.age.map((bin) => [bin.age, bin.weight])),
  };
}

function normalised(weights: readonly (readonly [edge: number, weight: number])[]): Bin[] {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return weights.map(([edge, weight]) => ({
    edge,
    target_fraction: weight / total,
    observed_fraction: null,
  }));
}
