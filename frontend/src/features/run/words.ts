// The words of a run's states and phases.
import type { Phase, Run, RunItem } from "../../api/client";
import { formatFraction, fraction } from "../../shared/units";

interface PhaseWords {
  phase: Phase;
  title: string;
  does: string;
}

const onTheDevice: readonly PhaseWords[] = [
  { phase: "prepare", title: "Prepare", does: "make and mount the file system" },
  { phase: "rapid", title: "Rapid aging", does: "create until it is full enough" },
  { phase: "stable", title: "Stable aging", does: "create and delete until every age is met" },
  { phase: "capture", title: "Capture", does: "unmount, check, store the image" },
];

const inMemory: readonly PhaseWords[] = [
  ...onTheDevice,
  { phase: "restore", title: "Restore", does: "write the image to the device and read it back" },
];

export function phasesOf(run: Run): readonly PhaseWords[] {
  return run.in_memory ? inMemory : onTheDevice;
}

/** What a run has, and its line in a list too. */
type Named = Pick<RunItem, "fullness" | "device"> & { profile: { title: string } };

/** Agrawal 2007 at 70 % */
export function goalOf(run: Named): string {
  return `${run.profile.title} at ${formatFraction(fraction(run.fullness)).text}`;
}

export function deviceOf(run: Named): string {
  return run.device.path ?? run.device.stable_id;
}
