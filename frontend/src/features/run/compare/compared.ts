// Pure: a run in a comparison, with its drawn data.
import type { HistogramName, HostMark, Run } from "../../../api/client";
import { ceilingOf } from "../../../shared/chart/histogram/histogram";
import { level, type Curve } from "../../../shared/chart/lines/curves";
import type { LineSpec } from "../../../shared/chart/lines/drawing";
import type { FeedSnapshot } from "../live/feed";
import { isEnded } from "../../../shared/job";
import { formatDuration, formatFraction, fraction, seconds } from "../../../shared/units";
import type { Journal } from "../live/journal";
import { histogramOf, isAfterAging, progressOf, telemetryOf, type Telemetry } from "../live/telemetry";
import { markOf, type Mark } from "./marks";

export interface Compared {
  run: Run;
  feed: FeedSnapshot;
  telemetry: Telemetry;
  mark: Mark;
  /** The label at the end of its line, by what differs between the runs: "ext4". */
  label: string;
}

export type Known = WeakMap<Journal, { run: Run; telemetry: Telemetry }>;

/** Returns the run for the comparison; computes only changes, since most runs are unchanged. */
export function comparedOf(
  run: Run,
  feed: FeedSnapshot,
  /** The place of its line among the marks. */
  place: number,
  label: string,
  known: Known,
): Compared {
  const { journal } = feed;
  const kept = known.get(journal);
  const telemetry = kept?.run === run ? kept.telemetry : telemetryOf(run, journal);
  known.set(journal, { run, telemetry });
  return { run, feed, telemetry, mark: markOf(place), label };
}

/** Returns how far a run is, with the time left; null once it has ended. */
export function farOf({ telemetry }: Compared): { share: number | null; text: string } | null {
  const { state, phase, sample } = telemetry;
  if (isEnded(state)) return null;
  if (state === "queued") return { share: null, text: "waits for its turn" };
  const share = progressOf(telemetry);
  const said = share === null ? "" : ` ${formatFraction(fraction(share)).text}`;
  const left =
    state !== "running" || isAfterAging(telemetry) || sample?.eta_s == null
      ? ""
      : `, about ${formatDuration(seconds(sample.eta_s)).text} left`.replaceAll(/(?<=\d) /g, "\u00a0");
  return { share, text: `${phase ?? "starting"}${said}${left}` };
}

/** Returns the reference levels, such as a floor or a target; one that all runs share is drawn once. */
export function levelsOf(
  name: string,
  mark: Mark,
  runs: readonly { label: string; value: number | null }[],
  curves: readonly Curve[],
): { lines: LineSpec[]; curves: Curve[] } {
  const given = runs.filter(({ value }) => value !== null);
  const [first] = given;
  const isOne = given.every(({ value }) => value === first?.value);
  const shown = isOne ? given.slice(0, 1) : given;
  return {
    lines: shown.map(({ label }) => ({ ...mark, label: isOne ? name : `${name}, ${label}` })),
    curves: shown.map(({ value }) => level(value, curves)),
  };
}

/** Returns each host with runs that have not ended, and those runs. */
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

/** Returns one ceiling for all runs, so that equal heights are equal shares. */
export function sharedCeiling(runs: readonly Compared[], name: HistogramName): number {
  return ceilingOf(runs.flatMap(({ telemetry }) => histogramOf(telemetry, name)));
}
