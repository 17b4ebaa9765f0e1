// Pure: what the events of a run say, accumulated: each event is read once.
import type {
  AgeSummary,
  FreeExtents,
  JobEvent,
  JobPayload,
  JobProgress,
  JobState,
  Phase,
  Plan,
  Sample,
  Space,
  WorkloadPlan,
} from "../../../api/client";
import { isEnded } from "../../../shared/job";
import { isPhase } from "./phase";
import { overlap } from "./repeated";
import { emptySeries, withSamples, type Series } from "./series";

type Of<Type extends JobPayload["type"]> = Extract<JobPayload, { type: Type }>;

/** What the run's row says too; the journal is newer. */
export interface OfRow {
  state: JobState;
  phase: Phase | null;
  plan: Plan | null;
  /** Replaces the plan of a profile. */
  workload: WorkloadPlan | null;
  summary: AgeSummary | null;
}

/** A measurement of the free extents. */
export type Layout = Of<"layout">;

/** What a user or a crash did to the run, at the newest sample before it. */
export interface Mark {
  kind: "paused" | "resumed" | "revised" | "interrupted";
  ops_count: number;
  elapsed_s: number;
}

export interface Facts {
  /** Replaces what the run's row says. */
  known: Partial<OfRow>;
  /** The reason of the run's state. */
  said: string;
  sample: Sample | null;
  free_extents: FreeExtents | null;
  /** In order of their operations. */
  layouts: readonly Layout[];
  /** The newest measurement of the free space by cell. */
  space: Space | null;
  /** The progress of the phase, for phases without samples. */
  progress: JobProgress | null;
  series: Series;
  samples_count: number;
  marks: readonly Mark[];
  /** The number of events that may have changed the run's row. */
  moves_count: number;
  has_ended: boolean;
}

export const noFacts: Facts = {
  known: {},
  said: "",
  sample: null,
  free_extents: null,
  layouts: [],
  space: null,
  progress: null,
  series: emptySeries,
  samples_count: 0,
  marks: [],
  moves_count: 0,
  has_ended: false,
};

function withLayouts(known: readonly Layout[], fresh: readonly Layout[]): readonly Layout[] {
  if (fresh.length === 0) return known;
  const placeOf = ({ ops_count }: Layout) => ops_count;
  const { kept, added } = overlap(known.map(placeOf), fresh.map(placeOf));
  return [...known.slice(0, kept), ...added.flatMap((index) => fresh[index] ?? [])];
}

function mark(facts: Facts, kind: Mark["kind"]): void {
  const { ops_count, elapsed_s } = facts.sample ?? { ops_count: 0, elapsed_s: 0 };
  const last = facts.marks.at(-1);
  if (last?.kind === kind && last.ops_count === ops_count) return; // one change of two conditions
  facts.marks = [...facts.marks, { kind, ops_count, elapsed_s }];
}

function takeState(facts: Facts, payload: Of<"state">): void {
  facts.known.state = payload.state;
  facts.said = payload.message;
  facts.moves_count += 1;
  if (isPhase(payload.phase) && payload.phase !== facts.known.phase) {
    facts.known.phase = payload.phase;
    facts.progress = null;
  }
  if (payload.state === "queued") facts.known.summary = null; // it resumes after an interruption
  if (payload.state === "interrupted") mark(facts, "interrupted");
  facts.has_ended ||= isEnded(payload.state);
}

function takeControl(facts: Facts, { line, message }: Of<"control">): void {
  facts.moves_count += 1;
  if (message !== null) return; // refused
  mark(facts, line === "pause" ? "paused" : line === "resume" ? "resumed" : "revised");
}

/** Reads one event, but for those that `fold` collects. */
function take(facts: Facts, payload: JobPayload): void {
  switch (payload.type) {
    case "state":
      takeState(facts, payload);
      break;
    case "control":
      takeControl(facts, payload);
      break;
    case "plan":
      facts.known.plan = payload;
      break;
    case "workload":
      facts.known.workload = payload;
      break;
    case "sample":
      facts.sample = payload;
      facts.samples_count += 1;
      break;
    case "layout":
      facts.free_extents = payload.free_extents;
      break;
    case "space":
      facts.space = payload;
      break;
    case "progress":
      facts.progress = payload;
      break;
    case "summary":
      facts.known.summary = payload;
      facts.free_extents = payload.free_extents ?? facts.free_extents;
      break;
    case "step":
    case "checkpoint":
    case "error":
      break;
  }
}

/** Returns the facts after these events; reads no event but these. */
export function fold(facts: Facts, events: readonly JobEvent[]): Facts {
  const next = { ...facts, known: { ...facts.known } };
  const samples: Sample[] = [];
  const layouts: Layout[] = [];
  for (const { payload } of events) {
    take(next, payload);
    if (payload.type === "sample") samples.push(payload);
    if (payload.type === "layout") layouts.push(payload);
  }
  next.series = withSamples(facts.series, samples);
  next.layouts = withLayouts(facts.layouts, layouts);
  return next;
}
