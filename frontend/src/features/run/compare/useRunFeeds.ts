// The feeds of several runs in React, with one EventSource per page.
import { useEffect, useState } from "react";
import { useInSlices } from "../../../shared/useInSlices";
import type { FeedSnapshot } from "../live/feed";
import { readPageOf } from "../live/useRunFeed";
import { RunFeeds, SharedStream, type OpenShared } from "./feeds";

const openShared: OpenShared = (follow, on) => {
  const query = follow.map((position) => `follow=${position}`).join("&");
  const stream = new EventSource(`/api/v1/jobs/stream?${query}`);
  stream.onopen = on.open;
  stream.onmessage = (message: MessageEvent<string>) => on.message(message.data);
  stream.onerror = on.error;
  return stream;
};

function feedsOf(run_ids: readonly number[]): RunFeeds {
  const shared = new SharedStream(openShared);
  return new RunFeeds(
    run_ids.map((run_id) => ({
      readPage: readPageOf(run_id),
      openStream: (after, on) => shared.follow(run_id, after, on),
    })),
  );
}

/** Follows the runs of the first call; mount anew for other runs. */
export function useRunFeeds(run_ids: readonly number[]): readonly FeedSnapshot[] {
  const [feeds] = useState(() => feedsOf(run_ids));
  useEffect(() => {
    feeds.start();
    return () => feeds.stop();
  }, [feeds]);
  return useInSlices(feeds);
}
