// A comparison of several runs, live or ended.
import { Button } from "@mantine/core";
import { useQueries, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { Fragment, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import type { HostMark, Run } from "../../../api/client";
import { Reconnecting } from "../../../shared/ui/Reconnecting";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { watchedRunQuery } from "../queries";
import { Plots, Rows, Soon } from "../../../shared/ui/waiting/shapes";
import { comparedOf, hostsOf, type Known } from "./compared";
import { CompareCurves } from "./CompareCurves";
import { CompareHistograms } from "./CompareHistograms";
import { CompareTable } from "./CompareTable";
import type { ImageFacts } from "./figures";
import { seriesNames } from "./seriesNames";
import { useRunFeeds } from "./useRunFeeds";

export function CompareSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <Soon>
        <Rows count={12} height={35} />
        <Plots count={2} height={300} />
      </Soon>
    </div>
  );
}

interface Props {
  /** Read at the first render only; mount anew for other runs. */
  run_ids: readonly number[];
  images: ReadonlyMap<number, ImageFacts>;
  /** The notice on a host and its runs that have not ended. */
  hostNotice: (host: HostMark, run_ids: readonly number[]) => ReactNode;
  /** The short mark of a host, beside the state of a run. */
  hostMark: (host: HostMark) => ReactNode;
  onLeaveOut?: (run_id: number) => void;
}

/** Returns the same rows until one of them changes. */
function combined(results: UseQueryResult<Run>[]) {
  return {
    rows: results.map(({ data }) => data ?? null),
    errors: results.map(({ error }) => error),
    isPending: results.some((result) => result.isPending),
  };
}

function useCompared(run_ids: readonly number[]) {
  const feeds = useRunFeeds(run_ids);
  const { rows, ...rest } = useQueries({ queries: run_ids.map(watchedRunQuery), combine: combined });
  const [known] = useState<Known>(() => new WeakMap());
  const names = useMemo(() => {
    const present = rows.filter((run) => run !== null);
    const said = seriesNames(present);
    return new Map(present.map(({ id }, place) => [id, said[place] ?? ""]));
  }, [rows]);
  // A run has the same line in every comparison of the same runs, in any order.
  const ranks = useMemo(() => run_ids.toSorted((one, other) => one - other), [run_ids]);
  const compared = useMemo(
    () =>
      rows.flatMap((run, place) => {
        const feed = feeds[place];
        if (run === null || feed === undefined) return [];
        return [comparedOf(run, feed, ranks.indexOf(run.id), names.get(run.id) ?? "", known)];
      }),
    [feeds, known, names, ranks, rows],
  );
  return { feeds, compared, ...rest };
}

interface MissingProps {
  run_id: number;
  error: Error;
  onLeaveOut: Props["onLeaveOut"];
}

/** Replaces a run that could not be read; the others are still compared. */
function Missing({ run_id, error, onLeaveOut }: MissingProps) {
  const queries = useQueryClient();
  return (
    <div>
      <RefusalNotice
        error={error}
        onRetry={() => void queries.refetchQueries({ queryKey: watchedRunQuery(run_id).queryKey })}
      />
      {onLeaveOut !== undefined && (
        <Button variant="default" mt="xs" onClick={() => onLeaveOut(run_id)}>
          Leave run {run_id} out
        </Button>
      )}
    </div>
  );
}

export function CompareView({ run_ids, images, hostNotice, hostMark, onLeaveOut }: Props) {
  const { feeds, compared, errors, isPending } = useCompared(run_ids);
  // The first rendering is the longest: in slices, after the one of the waiting page.
  const isReady = useDeferredValue(!isPending, false);
  if (!isReady) return <CompareSkeleton />;
  return (
    <div className="patina-stack">
      {feeds.some(({ connection }) => connection === "reconnecting") && (
        <Reconnecting>The runs continue; no events are lost.</Reconnecting>
      )}
      {hostsOf(compared).map(({ host, run_ids: ids }) => (
        <Fragment key={host.id}>{hostNotice(host, ids)}</Fragment>
      ))}
      {run_ids.map((run_id, place) => {
        const error = errors[place];
        return error == null ? null : (
          <Missing key={run_id} run_id={run_id} error={error} onLeaveOut={onLeaveOut} />
        );
      })}
      {compared.length > 0 && (
        <>
          <CompareTable
            runs={compared}
            images={images}
            hostMark={hostMark}
            onLeaveOut={compared.length > 2 ? onLeaveOut : undefined}
          />
          <CompareCurves runs={compared} />
          <CompareHistograms runs={compared} />
        </>
      )}
    </div>
  );
}
