// Follows several runs over one connection: a browser opens at most six to a server, and the page needs some of them.
import type { JobEvent } from "../../../api/client";
import { RunFeed, type FeedSnapshot, type Listener, type Source, type Stream } from "../live/feed";

interface Follower {
  after: number;
  on: Listener;
}

const CONNECTING = 0;
/** The page redraws at most five times a second, with any number of runs. */
const BATCH_MS = 200;

/** `follow` contains for each run the sequence number to begin after, as "3:120". */
export type OpenShared = (follow: readonly string[], on: Listener) => Stream;

export class SharedStream {
  private readonly followers = new Map<number, Follower>();
  private stream: Stream | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly open: OpenShared) {}

  /** Adds a follower, which gets a stream of its own. */
  follow(run_id: number, after: number, on: Listener): Stream {
    const follower = { after, on };
    this.followers.set(run_id, follower);
    // Runs that catch up at the same time share one new connection.
    this.timer ??= setTimeout(() => this.reopen(), 0);
    const readyState = () => this.stream?.readyState ?? CONNECTING;
    return {
      get readyState() {
        return readyState();
      },
      close: () => {
        if (this.followers.get(run_id) !== follower) return;
        this.followers.delete(run_id);
        if (this.followers.size === 0) this.close();
      },
    };
  }

  private close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stream?.close();
    this.stream = null;
  }

  private reopen(): void {
    this.close();
    const follow = [...this.followers].map(([run_id, { after }]) => `${run_id}:${after}`);
    const each = (tell: (on: Listener) => void) => [...this.followers.values()].forEach(({ on }) => tell(on));
    this.stream = this.open(follow, {
      open: () => each((on) => on.open()),
      message: (data) => this.deliver(data),
      error: () => each((on) => on.error()),
    });
  }

  private deliver(data: string): void {
    const { job_id, sequence } = JSON.parse(data) as JobEvent;
    const follower = this.followers.get(job_id);
    if (follower === undefined) return;
    follower.after = Math.max(follower.after, sequence);
    follower.on.message(data);
  }
}

/** The feeds of several runs as one, in the order of the runs. */
export class RunFeeds {
  private readonly feeds: readonly RunFeed[];
  private snapshots: readonly FeedSnapshot[];
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sources: readonly Source[]) {
    this.feeds = sources.map((source) => new RunFeed(source));
    this.snapshots = this.feeds.map((feed) => feed.getSnapshot());
    this.feeds.forEach((feed) =>
      feed.subscribe(() => (this.timer ??= setTimeout(() => this.publish(), BATCH_MS))),
    );
  }

  readonly getSnapshot = (): readonly FeedSnapshot[] => this.snapshots;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(): void {
    this.feeds.forEach((feed) => feed.start());
  }

  stop(): void {
    this.feeds.forEach((feed) => feed.stop());
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private publish(): void {
    this.timer = null;
    this.snapshots = this.feeds.map((feed) => feed.getSnapshot());
    this.listeners.forEach((listener) => listener());
  }
}
