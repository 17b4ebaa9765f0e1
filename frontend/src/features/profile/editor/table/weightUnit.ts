// Pure: a weight in its displayed unit: a count of files, or percent of the histogram.
import { ceilingAbove } from "../../../../shared/chart/histogram/axis";
import { count, formatCount, formatFraction, fraction } from "../../../../shared/units";
import { rounded } from "../draft/edit";

export type WeightUnit = "count" | "percent";

/** The largest fraction of one bin while others have files; larger input is limited to it. */
const MOST_FRACTION = 0.9999;

export function shownOf(weight: number, total: number, unit: WeightUnit): number {
  if (unit === "count") return weight;
  return total > 0 ? (weight / total) * 100 : 0;
}

/** Returns the weight that shows as `shown` while the other bins keep theirs, `rest` in sum. */
export function weightOf(shown: number, rest: number, unit: WeightUnit): number {
  if (unit === "count") return rounded(Math.max(0, shown));
  const share = Math.min(MOST_FRACTION, Math.max(0, shown / 100));
  // A single bin is 100 % at any weight.
  return rest > 0 ? rounded((share * rest) / (1 - share)) : rounded(Math.max(0, shown));
}

export function formatWeight(weight: number, total: number, unit: WeightUnit): string {
  if (unit === "count") return formatCount(count(weight)).text;
  return formatFraction(fraction(total > 0 ? weight / total : 0)).text;
}

/** Returns the digits in a field. */
export function typedOf(weight: number, total: number, unit: WeightUnit): string {
  return String(rounded(shownOf(weight, total, unit), unit === "count" ? 9 : 4));
}

/** Returns the step of one key press: a hundredth of the axis, coarse a tenth, rounded to a round figure. */
export function keyStep(ceiling: number, isCoarse: boolean): number {
  const wanted = ceiling / (isCoarse ? 10 : 100);
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((factor) => factor * magnitude >= wanted * 0.999) ?? 10;
  return step * magnitude;
}

/** Rounds a dragged value to the value of a pixel. */
export function dragged(shown: number, ceiling: number, height_px: number): number {
  const grain = 10 ** Math.floor(Math.log10(ceiling / height_px));
  return Math.max(0, Number((Math.round(shown / grain) * grain).toPrecision(9)));
}

/** Returns the top of the value axis: a share has no room above 100 %. */
export function topOf(highest: number, unit: WeightUnit): number {
  const top = ceilingAbove(highest);
  return unit === "percent" ? Math.min(100, top) : top;
}
