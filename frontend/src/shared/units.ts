// Formats all quantities. A number gets its unit once, as a branded type, and keeps it.
declare const unit: unique symbol;
type Quantity<Unit extends string> = number & { readonly [unit]: Unit };

export type Bytes = Quantity<"bytes">;
export type Count = Quantity<"count">;
export type Fraction = Quantity<"fraction">;
export type Seconds = Quantity<"s">;
export type OpsPerSecond = Quantity<"ops_per_s">;
export type Ratio = Quantity<"ratio">;

export const bytes = (value: number): Bytes => value as Bytes;
export const count = (value: number): Count => value as Count;
export const fraction = (value: number): Fraction => value as Fraction;
export const seconds = (value: number): Seconds => value as Seconds;
export const opsPerSecond = (value: number): OpsPerSecond => value as OpsPerSecond;
export const ratio = (value: number): Ratio => value as Ratio;

/** The text on the page, and the exact value shown on hover. */
export interface Formatted {
  text: string;
  exact: string;
}

const exactNumber = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 12 });

function threeDigits(value: number): string {
  if (value === 0) return "0";
  if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value);
  const rounded = Number(value.toPrecision(3));
  const magnitude = Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.max(0, Math.min(20, 2 - magnitude)));
}

function scaled(value: number, base: number, prefixes: readonly string[]): [digits: string, prefix: string] {
  let rest = value;
  let step = 0;
  // 999.6 k would round to 1000 k: what rounds to the base belongs to the next prefix.
  while (Math.round(Math.abs(rest)) >= base && step < prefixes.length - 1) {
    rest /= base;
    step += 1;
  }
  const digits = Math.abs(rest) >= 1000 ? String(Math.round(rest)) : threeDigits(rest);
  return [digits, prefixes[step] ?? ""];
}

export function formatBytes(value: Bytes): Formatted {
  const [digits, prefix] = scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
  return { text: `${digits} ${prefix}`, exact: `${exactNumber.format(value)} bytes` };
}

export function formatCount(value: Count): Formatted {
  const [digits, prefix] = scaled(value, 1000, ["", "k", "M", "G", "T"]);
  return { text: prefix === "" ? digits : `${digits} ${prefix}`, exact: exactNumber.format(value) };
}

export function formatFraction(value: Fraction): Formatted {
  return {
    text: `${threeDigits(Number((value * 100).toPrecision(12)))} %`,
    exact: exactNumber.format(value),
  };
}

/** Returns a layout score, or another share of what follows in order: 0.980. */
export function formatScore(value: Fraction): Formatted {
  return { text: value.toFixed(3), exact: exactNumber.format(value) };
}

/** Returns how often something was done: "28.6 times". */
export function formatTimes(value: Ratio): Formatted {
  const { text, exact } = formatRatio(value);
  return { text: `${text} ${text === "1" ? "time" : "times"}`, exact };
}

export function formatOpsPerSecond(value: OpsPerSecond): Formatted {
  const amount = formatCount(count(value));
  return { text: `${amount.text}/s`, exact: `${exactNumber.format(value)} operations a second` };
}

/** Returns the text for an axis, without redundant zeros: "0.01 %" for "0.0100 %". */
export function shortened({ text }: Formatted): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
}

export function formatRatio(value: Ratio): Formatted {
  return { text: formatCount(count(value)).text, exact: exactNumber.format(value) };
}

/** Returns "1 d 2 h", and "1 d" where the second part is zero. */
function twoParts(first: number, unit: string, second: number, part: string): string {
  return second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${part}`;
}

export function formatDuration(value: Seconds): Formatted {
  const exact = `${exactNumber.format(value)} s`;
  if (value < 59.95) return { text: `${value < 0.0005 ? "0" : threeDigits(value)} s`, exact };
  const whole = Math.round(value);
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  if (days > 0) return { text: twoParts(days, "d", hours, "h"), exact };
  if (hours > 0) return { text: twoParts(hours, "h", minutes, "min"), exact };
  return { text: `${minutes} min ${whole % 60} s`, exact };
}

/** Returns a short time in its own unit: 12.4 µs, 3.1 ms, 2.05 s. */
export function formatLatency(value: Seconds): Formatted {
  const exact = `${exactNumber.format(value)} s`;
  if (value <= 0) return { text: "0 s", exact };
  if (value < 999.5e-9) return { text: `${threeDigits(value * 1e9)} ns`, exact };
  if (value < 999.5e-6) return { text: `${threeDigits(value * 1e6)} µs`, exact };
  if (value < 0.9995) return { text: `${threeDigits(value * 1e3)} ms`, exact };
  return { text: `${threeDigits(value)} s`, exact };
}

const durationUnits = [
  { unit: "s", seconds: 1, most: 90 },
  { unit: "min", seconds: 60, most: 90 * 60 },
  { unit: "h", seconds: 3_600, most: 36 * 3_600 },
  { unit: "d", seconds: 86_400, most: Infinity },
] as const;

/** Returns "2 to 5 min": rounded outwards, to tenths where whole units would be too coarse. */
export function formatDurationRange(low: Seconds, high: Seconds): Formatted {
  const { unit, seconds: length } = durationUnits.find(({ most }) => high < most) ?? durationUnits[3];
  const steps = (high - low) / length < 1 && high / length < 10 ? 10 : 1;
  // Removes errors of the arithmetic before the value is rounded outwards.
  const turned = (value: number) => Number(((value / length) * steps).toPrecision(12));
  const from = Math.floor(turned(low)) / steps;
  const to = Math.ceil(turned(high)) / steps;
  return {
    text: from === to ? `${to} ${unit}` : `${from} to ${to} ${unit}`,
    exact: `${exactNumber.format(low)} to ${exactNumber.format(high)} s`,
  };
}

const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };

/** Returns the local time, with the day when it is not today; the zone is on hover. */
export function formatTime(at: string, now: Date = new Date()): Formatted {
  const time = new Date(at);
  const isToday = time.toDateString() === now.toDateString();
  const text = time.toLocaleString("en-GB", isToday ? clock : { ...day, hour: "2-digit", minute: "2-digit" });
  const exact = time.toLocaleString("en-GB", {
    ...day,
    ...clock,
    year: "numeric",
    timeZoneName: "long",
  });
  return { text, exact };
}

/** Returns the edge of a bin in the unit of its axis. */
export function formatEdge(histogram: "size" | "depth" | "age" | "free_extents", edge: number): string {
  switch (histogram) {
    case "size":
    case "free_extents":
      return formatBytes(bytes(edge)).text;
    case "depth":
      return String(edge);
    case "age":
      return formatCount(count(edge)).text;
  }
}

const byteUnits: Record<string, number> = {
  "": 1,
  b: 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  p: 2 ** 50,
};

/** Parses bytes as typed: "4096", "4 KiB", "1.5g"; null for other text. Prefixes are always binary. */
export function parseBytes(text: string): Bytes | null {
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*([bkmgtp]?)(?:i?b)?\s*$/i.exec(text);
  if (match === null) return null;
  const factor = byteUnits[(match[2] ?? "").toLowerCase()];
  return factor === undefined ? null : bytes(Math.round(Number((match[1] ?? "").replace(",", ".")) * factor));
}

/** Parses a number as typed, with a decimal point or comma; null for other text. */
export function parseNumber(text: string): number | null {
  const match = /^\s*(\d*(?:[.,]\d*)?(?:e[+-]?\d+)?)\s*%?\s*$/i.exec(text);
  const digits = (match?.[1] ?? "").replace(",", ".");
  if (!/\d/.test(digits)) return null;
  const value = Number(digits);
  return Number.isFinite(value) ? value : null;
}
