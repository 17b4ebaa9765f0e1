// Pure: the jobs ahead of a queued run, and when it is expected to start.
import type { JobAhead } from "../../../api/client";
import { formatDuration, seconds } from "../../../shared/units";

/** Returns the place in a queue: 1st, 2nd, 11th. */
export function ordinal(place: number): string {
  const ending = { one: "st", two: "nd", few: "rd", other: "th" } as Record<string, string>;
  return `${place}${ending[new Intl.PluralRules("en", { type: "ordinal" }).select(place)] ?? "th"}`;
}

/** Returns the name of a job: run 4, or a private run. */
export function nameOfAhead({ id, kind }: Pick<JobAhead, "id" | "kind">): string {
  return id === null ? `a private ${kind}` : `${kind} ${id}`;
}

/** Returns what a job ahead does with the device. */
export function doesOf({ reason, state, phase, eta_s }: JobAhead): string {
  if (reason === "waits") return "waits before it";
  if (reason === "resumes") return "was interrupted and resumes first";
  if (state !== "running") return `has the device and is ${state}`;
  const left = eta_s === null ? "" : `, about ${formatDuration(seconds(eta_s)).text} left`;
  return `has the device${phase === null ? "" : `, in the phase ${phase}`}${left}`;
}

/** Returns why the time left of a job ahead is not known; null if it is. */
function silenceOf(job: JobAhead): string | null {
  if (job.state === "paused") return `${nameOfAhead(job)} is paused`;
  return job.eta_s === null ? `the time left of ${nameOfAhead(job)} is not known` : null;
}

/** Returns the expected start, from the time left of the jobs ahead. */
export function startOf(ahead: readonly JobAhead[]): string {
  const silences = ahead.map(silenceOf);
  const why = silences.find((silence) => silence !== null);
  const known_s = ahead.reduce(
    (sum, { eta_s }, place) => sum + (silences[place] === null ? (eta_s ?? 0) : 0),
    0,
  );
  const { text } = formatDuration(seconds(known_s));
  if (why === undefined) return `in about ${text}`;
  return known_s === 0 ? `unknown, because ${why}` : `not before ${text} from now, because ${why}`;
}
