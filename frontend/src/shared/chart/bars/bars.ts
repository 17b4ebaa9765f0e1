// Bars of means with their intervals, in groups.

export interface Bar {
  label: string;
  mean: number;
  /** The 95 % interval; null: fewer than two values. */
  low: number | null;
  high: number | null;
  /** The single values. */
  points: readonly number[];
  /** Indexes of points that are outliers. */
  outliers: readonly number[];
  /** What the others of its group are compared with. */
  isBase: boolean;
  /** Its pattern; by default that of its place in the group. */
  order?: number;
  /** The mean, as text and exactly. */
  text: string;
  exact: string;
  note?: string;
}

export interface BarGroup {
  label: string;
  bars: readonly Bar[];
}

/** Returns the end of the axis: a round number above every bar, interval and point. */
export function endOf(groups: readonly BarGroup[]): number {
  return endAbove(
    groups.flatMap(({ bars }) => bars.flatMap(({ mean, high, points }) => [mean, high ?? 0, ...points])),
  );
}

/** Returns a round number above the values. */
export function endAbove(values: readonly number[]): number {
  const most = Math.max(0, ...values);
  if (most <= 0 || !Number.isFinite(most)) return 1;
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return Math.ceil((most * 1.02) / step) * step;
}

/** Returns about four round positions from 0 to the end. */
export function ticksOf(end: number): number[] {
  const rough = end / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? rough;
  const ticks: number[] = [];
  for (let index = 0; index * step <= end * 1.0001; index += 1) ticks.push(index * step);
  return ticks;
}

/** Returns the place of a value on the axis, in percent. */
export function placeOf(value: number, end: number): number {
  return Math.min(100, Math.max(0, (value / end) * 100));
}

/** Returns the figure in words, for those who do not see it. */
export function summaryOf(groups: readonly BarGroup[]): string {
  return groups
    .map(({ label, bars }) => `${label}: ${bars.map((bar) => `${bar.label} ${bar.text}`).join(", ")}`)
    .join("; ");
}
