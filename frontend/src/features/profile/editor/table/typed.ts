// Pure: parses and formats an edge in a field.
import type { HistogramName } from "../../../../api/client";
import { bytes, formatBytes, parseBytes, parseNumber } from "../../../../shared/units";

export function parseEdge(histogram: HistogramName, typed: string): number | null {
  return histogram === "size" ? parseBytes(typed) : parseNumber(typed);
}

/** Returns the edge as text; bytes have a prefix where it is exact. */
export function edgeText(histogram: HistogramName, edge: number): string {
  if (histogram !== "size") return String(edge);
  const { text } = formatBytes(bytes(edge));
  return parseBytes(text) === edge ? text : String(edge);
}

export const edgeTitles: Record<HistogramName, string> = {
  size: "File size",
  depth: "Depth",
  age: "Younger than",
};
