// Properties of jobs of every kind: state and progress.
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

/** Reports whether the state is final: no action continues the job. */
export function isEnded(state: JobState): boolean {
  return ended.includes(state);
}

/** Reports whether no worker runs the job or is about to. */
export function isAtRest(state: JobState): boolean {
  return isEnded(state) || state === "interrupted";
}

/** Returns the link to a job: the own page of a run, a trial or a study, or the panel Activity over the open page. */
export function placeOf(kind: string, id: number) {
  if (kind === "trial") return { to: "/trials/$trialId", params: { trialId: String(id) } } as const;
  if (kind === "study") return { to: "/studies/$studyId", params: { studyId: String(id) } } as const;
  return kind === "run"
    ? ({ to: "/runs/$runId", params: { runId: String(id) } } as const)
    : ({ to: ".", search: (old: object) => ({ ...old, activity: id }) } as const);
}

/** Returns the name of a job: Scan 12. */
export function nameOf({ kind, id }: { kind: string; id: number }): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${id}`;
}

/** Returns the share of its phase that is done; null while the total is unknown. */
export function shareOf({ done, total }: { done: number; total: number | null }): number | null {
  return total === null || total === 0 ? null : Math.min(1, done / total);
}
