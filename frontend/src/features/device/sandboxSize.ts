// The size of a sandbox device as typed: a number of the chosen unit, or with a unit of its own.
import { parseBytes, parseNumber } from "../../shared/units";

export const GIB = 2 ** 30;
export const MIB = 2 ** 20;
const BLOCK_BYTES = 4096;

export type Unit = "MiB" | "GiB";

/** Returns the unit that the text itself has, of those to choose from; null for none. */
export function unitOf(text: string): Unit | null {
  if (/\d\s*m/i.test(text)) return "MiB";
  return /\d\s*g/i.test(text) ? "GiB" : null;
}

/** Returns the size in whole blocks; null for what is no size. */
export function sizeOf(text: string, unit: Unit): number | null {
  const isBare = !/[a-z%]/i.test(text);
  const number = isBare ? parseNumber(text) : null;
  const size = isBare ? number && number * (unit === "GiB" ? GIB : MIB) : parseBytes(text);
  return size === null ? null : Math.round(size / BLOCK_BYTES) * BLOCK_BYTES;
}
