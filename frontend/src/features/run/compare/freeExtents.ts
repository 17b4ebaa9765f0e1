// Pure: the free extents of a compared run.
import type { Curve } from "../../../shared/chart/lines/curves";
import type { Telemetry } from "../live/telemetry";

/** Returns the number of free extents over operations or time, with the last one, of the summary. */
export function freeExtentsOf(
  { layouts, summary }: Pick<Telemetry, "layouts" | "summary">,
  over: string,
): Curve {
  const measured = layouts.map(({ ops_count, elapsed_s, free_extents }) => ({
    x: over === "time" ? elapsed_s : ops_count,
    y: free_extents.extents_count,
  }));
  if (summary?.free_extents != null) {
    const x = over === "time" ? summary.elapsed_s : summary.ops_count;
    while ((measured.at(-1)?.x ?? -Infinity) >= x) measured.pop();
    measured.push({ x, y: summary.free_extents.extents_count });
  }
  return { x: measured.map(({ x }) => x), y: measured.map(({ y }) => y) };
}
