// A run's feed in React, with one EventSource per page.
import { useCallback, useEffect, useMemo } from "react";
import { client, read } from "../../../api/client";
import { useInSlices } from "../../../shared/useInSlices";
import { RunFeed, type FeedSnapshot, type Source } from "./feed";

const PAGE_LIMIT = 2_000;

export function readPageOf(run_id: number): Source["readPage"] {
  return (after) =>
    read(
      client.GET("/api/v1/jobs/{job_id}/events", {
        params: { path: { job_id: run_id }, query: { after, limit: PAGE_LIMIT } },
      }),
    );
}

function sourceOf(run_id: number): Source {
  return {
    readPage: readPageOf(run_id),
    openStream: (after, on) => {
      const stream = new EventSource(`/api/v1/jobs/${run_id}/stream?after=${after}`);
      stream.onopen = on.open;
      stream.onmessage = (message: MessageEvent<string>) => on.message(message.data);
      stream.onerror = on.error;
      return stream;
    },
  };
}

export function useRunFeed(run_id: number): { snapshot: FeedSnapshot; retry: () => void } {
  const feed = useMemo(() => new RunFeed(sourceOf(run_id)), [run_id]);
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  return { snapshot: useInSlices(feed), retry: useCallback(() => feed.retry(), [feed]) };
}
