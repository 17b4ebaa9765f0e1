// The axis of a histogram in React.
import { useMemo } from "react";
import { axisOf, type BinAxis } from "./axis";
import type { Axis } from "./histogram";

/** Returns the axis, which depends on the edges alone: it stays the same object while the bars change. */
export function useBinAxis(name: Axis, bins: readonly { edge: number }[], most?: number): BinAxis {
  const edges = bins.map(({ edge }) => edge).join();
  return useMemo(
    () => axisOf(name, edges === "" ? [] : edges.split(",").map(Number), most),
    [name, edges, most],
  );
}
