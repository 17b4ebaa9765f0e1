// Pure: the positions and the labels of an axis, different from each other at any zoom.
import { formatDuration, seconds, shortened, type Formatted } from "../../units";

/** What the values of an axis are. */
export interface Quantity {
  format: (value: number) => Formatted;
  /** Labels of evenly spaced values. */
  ticks: (values: readonly number[]) => string[];
  /** The distances of the values, where decimal ones are not round. */
  distances?: readonly number[];
}

const stepOf = (values: readonly number[]) => Math.abs((values[1] ?? 0) - (values[0] ?? 0));

/** Returns the decimals that tell values apart which are `step` apart. */
function decimalsOf(step: number): number {
  if (!(step > 0)) return 0;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  // A step of 2.5 needs one more than a step of 2.
  const isExact = (places: number) => Math.abs(step - Number(step.toFixed(places))) < step * 1e-6;
  return Math.min(12, isExact(decimals) ? decimals : decimals + 1);
}

const prefixes = ["", "k", "M", "G", "T"] as const;

export function countTicks(values: readonly number[], unit = ""): string[] {
  const most = Math.max(...values.map(Math.abs));
  const power = Math.min(prefixes.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, most)) / 3)));
  const one = 1000 ** power;
  const decimals = decimalsOf(stepOf(values) / one);
  const prefix = power === 0 ? "" : ` ${prefixes[power]}`;
  return values.map((value) =>
    value === 0 ? `0${unit}` : `${(value / one).toFixed(decimals)}${prefix}${unit}`,
  );
}

export function percentTicks(values: readonly number[]): string[] {
  const decimals = decimalsOf(stepOf(values) * 100);
  return values.map((value) => `${(value * 100).toFixed(decimals)} %`);
}

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

export function durationTicks(values: readonly number[]): string[] {
  const step = stepOf(values);
  const most = Math.max(...values.map(Math.abs));
  if (step < 1 || most < 60) {
    const decimals = decimalsOf(step);
    return values.map((value) => `${value.toFixed(decimals)} s`);
  }
  return values.map((value) => {
    let rest = Math.round(value);
    const parts = units.flatMap(([unit, length]) => {
      const whole = Math.floor(rest / length);
      rest -= whole * length;
      return whole === 0 ? [] : [`${whole} ${unit}`];
    });
    return parts.length === 0 ? "0" : parts.join(" ");
  });
}

/** Round times: decimal below a second, then as clocks show them. */
const times = [
  [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800],
  [1, 2, 3, 4, 6, 12, 24, 48, 96, 192, 384, 768].map((hours) => hours * 3_600),
].flat();

export const durations: Quantity = {
  format: (value) => formatDuration(seconds(value)),
  ticks: durationTicks,
  distances: times,
};

/** Returns round values of a logarithmic axis: 1, 2 and 5 of each power where there are few powers. */
export function logarithmicTicks(from: number, to: number): number[] {
  const span = Math.log10(to / from);
  const digits = span > 3.5 ? [1] : span > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power += 1) {
    for (const digit of digits) {
      const value = Number((digit * 10 ** power).toPrecision(6));
      if (value >= from && value <= to) ticks.push(value);
    }
  }
  return ticks;
}

/** Returns the range of a logarithmic axis: what is measured, with a margin, but never nothing. */
export function logarithmicRange(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null || !(most > 0)) return [0.01, 1];
  const low = least > 0 ? least : most / 1000;
  const margin = Math.max(1.15, (most / low) ** 0.05);
  return [low / margin, most * margin];
}

/** Returns the labels of a logarithmic axis. */
export const eachShortened = (values: readonly number[], { format }: Quantity) =>
  values.map((value) => shortened(format(value)));
