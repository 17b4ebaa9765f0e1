// Follows one run: reads the stored events, then the stream; reads again after a gap or a lost connection.
import { Refusal, type JobEvent } from "../../../api/client";
import { append, emptyJournal, hasEnded, type Journal } from "./journal";

export type Connection = "loading" | "live" | "reconnecting" | "ended" | "failed";

export interface FeedSnapshot {
  journal: Journal;
  connection: Connection;
  error: unknown;
}

export interface EventPage {
  items: readonly JobEvent[];
  last_sequence: number;
}

/** The part of EventSource that the feed uses. */
export interface Stream {
  readonly readyState: number;
  close: () => void;
}

export interface Listener {
  open: () => void;
  message: (data: string) => void;
  error: () => void;
}

export interface Source {
  readPage: (after: number) => Promise<EventPage>;
  openStream: (after: number, on: Listener) => Stream;
}

const CLOSED = 2;
const RETRY_MS = 1_000;
/** The page redraws at most ten times a second, at any rate of events. */
const BATCH_MS = 100;

export class RunFeed {
  private snapshot: FeedSnapshot = { journal: emptyJournal, connection: "loading", error: null };
  private readonly listeners = new Set<() => void>();
  private arrived: JobEvent[] = [];
  private stream: Stream | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** Incremented by start and stop: answers to earlier requests are ignored. */
  private life = 0;

  constructor(private readonly source: Source) {}

  readonly getSnapshot = (): FeedSnapshot => this.snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(): void {
    this.life += 1;
    void this.catchUp(this.life);
  }

  stop(): void {
    this.life += 1;
    this.closeStream();
  }

  retry(): void {
    this.stop();
    this.publish({ connection: "loading", error: null });
    this.start();
  }

  private publish(change: Partial<FeedSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    this.listeners.forEach((listener) => listener());
  }

  private closeStream(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.arrived = [];
    this.stream?.close();
    this.stream = null;
  }

  /** Reads pages of stored events up to the newest, then opens the stream, unless the run has ended. */
  private async catchUp(life: number): Promise<void> {
    this.closeStream();
    try {
      for (;;) {
        const page = await this.source.readPage(this.snapshot.journal.last_sequence);
        if (life !== this.life) return;
        const { journal } = append(this.snapshot.journal, page.items);
        this.publish({ journal, error: null });
        if (page.items.length === 0 || journal.last_sequence >= page.last_sequence) break;
      }
    } catch (error) {
      if (life !== this.life) return;
      const isRefused = error instanceof Refusal && error.status >= 400 && error.status < 500;
      this.publish({ connection: isRefused ? "failed" : "reconnecting", error });
      if (!isRefused) this.timer = setTimeout(() => void this.catchUp(life), RETRY_MS);
      return;
    }
    if (hasEnded(this.snapshot.journal)) this.publish({ connection: "ended" });
    else this.follow(life);
  }

  private follow(life: number): void {
    this.stream = this.source.openStream(this.snapshot.journal.last_sequence, {
      open: () => this.publish({ connection: "live" }),
      message: (data) => {
        this.arrived.push(JSON.parse(data) as JobEvent);
        this.timer ??= setTimeout(() => this.flush(life), BATCH_MS);
      },
      error: () => this.recover(life),
    });
  }

  /** Opens the stream anew after a refusal; in other cases the browser reconnects by itself. */
  private recover(life: number): void {
    this.flush(life);
    if (this.snapshot.connection === "ended" || life !== this.life) return;
    this.publish({ connection: "reconnecting" });
    if (this.stream?.readyState !== CLOSED) return;
    this.closeStream();
    this.timer = setTimeout(() => void this.catchUp(life), RETRY_MS);
  }

  private flush(life: number): void {
    if (life !== this.life) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { journal, has_gap } = append(this.snapshot.journal, this.arrived);
    this.arrived = [];
    if (journal !== this.snapshot.journal) this.publish({ journal });
    if (hasEnded(journal)) {
      this.closeStream();
      this.publish({ connection: "ended" });
    } else if (has_gap) {
      void this.catchUp(life);
    }
  }
}
