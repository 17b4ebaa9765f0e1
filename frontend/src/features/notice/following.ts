// The followed runs, in the browser's storage: shared by all tabs, kept over a reload.
import { useSyncExternalStore } from "react";
import type { Notice } from "../../api/client";

const KEY = "patina.followed_runs";
const RUNS_COUNT_LIMIT = 100;

/** By run: the last known notice, 0 for none. Later ones are new. */
export type Followed = Readonly<Record<string, number>>;

const nothing: Followed = {};
const listeners = new Set<() => void>();
let parsed: { text: string | null; followed: Followed } = { text: null, followed: nothing };

function isFollowed(value: unknown): value is Followed {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([run, notice]) => /^\d+$/.test(run) && Number.isSafeInteger(notice))
  );
}

/** Reads the storage again, since another tab may have written; returns the same object while it is unchanged. */
export function followedRuns(): Followed {
  const text = localStorage.getItem(KEY);
  if (text === parsed.text) return parsed.followed;
  let value: unknown;
  try {
    value = JSON.parse(text ?? "{}");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  parsed = { text, followed: isFollowed(value) ? value : nothing };
  return parsed.followed;
}

function keep(followed: Followed) {
  const newest = Object.entries(followed)
    .sort(([a], [b]) => Number(b) - Number(a))
    .slice(0, RUNS_COUNT_LIMIT);
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(newest)));
  listeners.forEach((listener) => listener());
}

export function follow(run_id: number, notice_id: number) {
  keep({ ...followedRuns(), [run_id]: notice_id });
}

export function unfollow(run_id: number) {
  keep(Object.fromEntries(Object.entries(followedRuns()).filter(([run]) => run !== String(run_id))));
}

/** Reports whether this notice is new, and marks it as known. Unfollows a run that has ended. */
export function take(notice: Notice): boolean {
  const known = followedRuns()[notice.job_id];
  if (known === undefined || notice.id <= known) return false;
  if (notice.kind === "needs_you") follow(notice.job_id, notice.id);
  else unfollow(notice.job_id);
  return true;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  globalThis.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener("storage", listener);
  };
}

export function useFollowedRuns(): Followed {
  return useSyncExternalStore(subscribe, followedRuns);
}
