// Pure: an edge as it is typed, and as it stands in a field.
import type { HistogramName } from "../../../../api/client";
import { bytes, formatBytes, parseBytes, parseNumber } from "../../../../shared/units";

export function parseEdge(histogram: HistogramName, typed: string): number | null {
  return histogram === "size" ? parseBytes(typed) : parseNumber(typed);
}

/** Bytes with their prefix where that loses nothing. */
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
