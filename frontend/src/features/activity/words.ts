// Titles and subjects of jobs. A kind without a title here is shown by its own name.
import type { JobItem } from "../../api/client";
import { count, bytes, formatBytes, formatCount, formatFraction, fraction } from "../../shared/units";

export const titles: Readonly<Record<string, string>> = {
  run: "Run",
  restore: "Restore",
  verify: "Verification",
  trace: "Trace",
  rollback: "Rollback",
  capture: "Capture",
  import: "Import",
  scan: "Scan",
  trial: "Trial",
  study: "Study",
  collection: "Garbage collection",
};

export function titleOf({ kind }: Pick<JobItem, "kind">): string {
  return titles[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the subject: the device, or the name in the request, such as a profile, a scan's directory or an import. */
export function subjectOf({ device, request, host }: JobItem): string {
  const named = textOf(request["directory"]) ?? textOf(request["name"]);
  return named ?? device?.path ?? device?.stable_id ?? host.name;
}

/** Returns the progress: 41 %, 3.2 of 8.0 GiB, 12 000 files. */
export function progressOf({ done, total, unit }: JobItem): string | null {
  if (unit === "") return total === null ? null : formatFraction(fraction(Math.min(1, done / total))).text;
  const say = (value: number) =>
    unit === "bytes" ? formatBytes(bytes(value)).text : formatCount(count(value)).text;
  const counted = unit === "bytes" ? "" : ` ${unit}`;
  if (total === null) return done === 0 ? null : `${say(done)}${counted}`;
  return `${say(done)} of ${say(total)}${counted}`;
}

/** Returns the job's present step, the reason of its wait, or its outcome. */
export function messageOf(job: JobItem): string {
  if (job.waits_for !== null) return `Waits for ${job.waits_for}, which has the device`;
  if (job.state === "queued")
    return job.host.is_healthy
      ? `${job.message}. Waits for a free slot of the host's worker`
      : `Waits for host ${job.host.name}, which is silent`;
  return job.message;
}
