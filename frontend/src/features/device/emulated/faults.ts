// The faults that an emulated disk can be given: their fields, what they do, and the request that they become.
import type { Device, Fault } from "../../../api/client";
import { bytes, formatBytes, parseBytes } from "../../../shared/units";

export type FaultKind = Exclude<Fault["kind"], "none">;
export type Lost = "all" | "random";

interface Kind {
  label: string;
  /** On a file system that is mounted from the disk. */
  description: string;
  /** What a user must confirm; null: nothing. */
  confirmation: string | null;
}

export const faultKinds: Record<FaultKind, Kind> = {
  power_cut: {
    label: "Power cut",
    description:
      "Writes after the last flush are lost, and every request fails until nothing holds the disk: then it is there " +
      "again. A file system with a journal repairs itself when it is mounted; one without needs a check.",
    confirmation: "Work on the disk fails, and what it wrote after the last flush is lost for good.",
  },
  read_error: {
    label: "Read error",
    description:
      "Reads of the range fail. A program gets an input/output error for data there; for metadata the file system " +
      "may go read-only.",
    confirmation: null,
  },
  write_error: {
    label: "Write error",
    description:
      "Writes to the range fail. Data that a program believed written is lost; for a journal or other metadata the " +
      "file system stops or goes read-only.",
    confirmation: null,
  },
  ends_early: {
    label: "Ends early",
    description:
      "Requests behind the size fail, as on a disk that claims more than it has. What is behind it cannot be read.",
    confirmation: null,
  },
  disappears: {
    label: "Disappears",
    description:
      "Every request fails, as when the cable is pulled. A mounted file system stops, and what it had not written " +
      "is lost.",
    confirmation: "Work on the disk fails, and what is not written yet is lost.",
  },
  read_only: {
    label: "Read-only",
    description: "Every write fails, as on a worn flash disk. What is there can still be read.",
    confirmation: null,
  },
  slow: {
    label: "Slow",
    description: "Every request takes longer, and nothing fails.",
    confirmation: null,
  },
};

/** Fields as typed. */
export interface FaultDraft {
  kind: FaultKind;
  lost: Lost;
  seed: number | null;
  first: string;
  length: string;
  size: string;
  delay_ms: number | null;
}

export type FaultField = "seed" | "first" | "length" | "size" | "delay_ms";

export const MOST_DELAY_MS = 60_000;

export function usualFault({ size_bytes }: Pick<Device, "size_bytes">): FaultDraft {
  const half = formatBytes(bytes(size_bytes / 2)).text;
  return { kind: "power_cut", lost: "all", seed: 0, first: "0", length: "1 MiB", size: half, delay_ms: 100 };
}

function rangeProblems(
  { first, length }: FaultDraft,
  size_bytes: number,
): Partial<Record<FaultField, string>> {
  const [first_byte, length_bytes] = [parseBytes(first), parseBytes(length)];
  const disk = formatBytes(bytes(size_bytes)).text;
  if (first_byte === null) return { first: "A place, such as 512 MiB" };
  if (first_byte >= size_bytes) return { first: `Inside the disk, which has ${disk}` };
  if (length_bytes === null || length_bytes === 0) return { length: "A length, such as 4 KiB" };
  return first_byte + length_bytes > size_bytes
    ? { length: `The range must end inside the disk: ${disk}` }
    : {};
}

/** Returns what must be corrected before the fault can be made. */
export function faultProblems(
  draft: FaultDraft,
  { size_bytes }: Pick<Device, "size_bytes">,
): Partial<Record<FaultField, string>> {
  switch (draft.kind) {
    case "read_error":
    case "write_error":
      return rangeProblems(draft, size_bytes);
    case "ends_early": {
      const size = parseBytes(draft.size);
      if (size === null) return { size: "A size, such as 1 GiB" };
      const disk = formatBytes(bytes(size_bytes)).text;
      return size > size_bytes ? { size: `No more than the disk has: ${disk}` } : {};
    }
    case "slow":
      return draft.delay_ms === null ? { delay_ms: "From 1 to 60000 ms" } : {};
    case "power_cut":
      return draft.lost === "random" && draft.seed === null ? { seed: "A whole number, 0 or more" } : {};
    case "disappears":
    case "read_only":
      return {};
  }
}

/** Returns the request of a draft without problems. */
export function faultOf(draft: FaultDraft): Fault {
  const range = { first_byte: parseBytes(draft.first) ?? 0, length_bytes: parseBytes(draft.length) ?? 0 };
  switch (draft.kind) {
    case "power_cut":
      return { kind: "power_cut", lost: draft.lost, seed: draft.seed ?? 0 };
    case "read_error":
      return { kind: "read_error", ...range };
    case "write_error":
      return { kind: "write_error", ...range };
    case "ends_early":
      return { kind: "ends_early", size_bytes: parseBytes(draft.size) ?? 0 };
    case "slow":
      return { kind: "slow", delay_ms: draft.delay_ms ?? 0 };
    case "disappears":
    case "read_only":
      return { kind: draft.kind };
  }
}

const sized = (value: unknown) => formatBytes(bytes(Number(value))).text;

/** Returns what a fault in force does: reads of 4 KiB from 1 GiB on fail. */
export function inForce(fault: Record<string, unknown>): string {
  switch (fault["kind"]) {
    case "power_cut":
      return "Power cut: requests fail until it is free";
    case "read_error":
      return `Reads of ${sized(fault["length_bytes"])} from ${sized(fault["first_byte"])} on fail`;
    case "write_error":
      return `Writes of ${sized(fault["length_bytes"])} from ${sized(fault["first_byte"])} on fail`;
    case "ends_early":
      return `It ends early, at ${sized(fault["size_bytes"])}`;
    case "disappears":
      return "It has disappeared: requests fail";
    case "read_only":
      return "Read-only: writes fail";
    case "slow":
      return `Slow: requests take ${Number(fault["delay_ms"])} ms longer`;
    default:
      return `Fault: ${String(fault["kind"])}`;
  }
}

/** Reports whether a fault in force ends on command: a power cut ends by itself, once nothing holds the disk. */
export function canEnd(fault: Record<string, unknown>): boolean {
  return fault["kind"] !== "power_cut";
}

/** Returns the name of a fault in a sentence: the fault read error; the end of all faults. */
export function nameOfFault({ kind }: Fault): string {
  return kind === "none" ? "the end of all faults" : `the fault ${faultKinds[kind].label.toLowerCase()}`;
}

/** Returns why the disk takes no fault; null where it does. */
export function whyNoFault({ state, host }: Pick<Device, "state" | "host">): string | null {
  if (!host.is_healthy) return `Host ${host.name} is silent`;
  return state === "available" || state === "busy" || state === "protected" ? null : `The disk is ${state}`;
}

/** Returns why a fault must wait for the one before; null where it need not. */
export function whyWait({ fault }: Pick<Device, "fault">): string | null {
  return fault !== null && fault.done_at === null ? `Wait: ${nameOfFault(fault.fault)} is being sent` : null;
}
