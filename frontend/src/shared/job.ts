// What jobs of every kind have: states, and how far one is.
import type { JobState } from "../api/client";
import type { Tone } from "./ui/StateMark";

export const toneOf: Record<JobState, Tone> = {
  uploading: "waiting",
  queued: "waiting",
  running: "live",
  paused: "waiting",
  canceling: "waiting",
  succeeded: "good",
  failed: "bad",
  canceled: "stopped",
  interrupted: "bad",
};

const ended: readonly JobState[] = ["succeeded", "failed", "canceled"];

/** It goes on by nothing that anybody does. */
export function isEnded(state: JobState): boolean {
  return ended.includes(state);
}

/** Nobody works on it, and nobody is about to. */
export function isAtRest(state: JobState): boolean {
  return isEnded(state) || state === "interrupted";
}

/** The page that shows a job: a run's own, or the panel Activity over the page that is open. */
export function placeOf(kind: string, id: number) {
  return kind === "run"
    ? ({ to: "/runs/$runId", params: { runId: String(id) } } as const)
    : ({ to: ".", search: (old: object) => ({ ...old, activity: id }) } as const);
}

/** Scan 12 */
export function nameOf({ kind, id }: { kind: string; id: number }): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${id}`;
}

/** Of its phase; null while its total is not known. */
export function shareOf({ done, total }: { done: number; total: number | null }): number | null {
  return total === null || total === 0 ? null : Math.min(1, done / total);
}
