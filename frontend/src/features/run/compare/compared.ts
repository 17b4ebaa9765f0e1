// Pure: a run in a comparison, and what of it is drawn.
import type { HistogramName, HostMark, Run } from "../../../api/client";
import { ceilingOf } from "../../../shared/chart/histogram/histogram";
import type { LineSpec } from "../../../shared/chart/lines/LivePlot";
import type { FeedSnapshot } from "../live/feed";
import { isEnded } from "../../../shared/job";
import type { Journal } from "../live/journal";
import { histogramOf, telemetryOf, type Telemetry } from "../live/telemetry";
import { level, type Curve } from "./columns";
import { markOf, type Mark } from "./marks";

export interface Compared {
  run: Run;
  feed: FeedSnapshot;
  telemetry: Telemetry;
  mark: Mark;
  /** At the end of its line: "run 3". */
  label: string;
}

export type Known = WeakMap<Journal, { run: Run; telemetry: Telemetry }>;

/** Only what came since is computed: most of the runs are as they were. */
export function comparedOf(run: Run, feed: FeedSnapshot, place: number, known: Known): Compared {
  const { journal } = feed;
  const kept = known.get(journal);
  const telemetry = kept?.run === run ? kept.telemetry : telemetryOf(run, journal);
  known.set(journal, { run, telemetry });
  return { run, feed, telemetry, mark: markOf(place), label: `run ${run.id}` };
}

/** What the runs are held against, once where it is the same for all: a floor, a target. */
export function levelsOf(
  name: string,
  mark: Mark,
  runs: readonly { run: Pick<Run, "id">; value: number | null }[],
  curves: readonly Curve[],
): { lines: LineSpec[]; curves: Curve[] } {
  const given = runs.filter(({ value }) => value !== null);
  const [first] = given;
  const isOne = given.every(({ value }) => value === first?.value);
  const shown = isOne ? given.slice(0, 1) : given;
  return {
    lines: shown.map(({ run }) => ({ ...mark, label: isOne ? name : `${name} ${run.id}` })),
    curves: shown.map(({ value }) => level(value, curves)),
  };
}

/** The hosts on which runs have not ended, each once, with those runs. */
export function hostsOf(runs: readonly Compared[]): { host: HostMark; run_ids: number[] }[] {
  const hosts = new Map<number, { host: HostMark; run_ids: number[] }>();
  for (const { run, telemetry } of runs) {
    if (isEnded(telemetry.state)) continue;
    const { host } = run.device;
    const known = hosts.get(host.id) ?? { host, run_ids: [] };
    known.run_ids.push(run.id);
    hosts.set(host.id, known);
  }
  return [...hosts.values()];
}

/** So that the same height is the same share in each of them. */
export function sharedCeiling(runs: readonly Compared[], name: HistogramName): number {
  return ceilingOf(runs.flatMap(({ telemetry }) => histogramOf(telemetry, name)));
}
