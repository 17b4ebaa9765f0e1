// Texts for the phases of a run.
import type { Phase, Run, RunItem } from "../../api/client";
import type { WorkloadName } from "../../shared/goal";
import { formatDuration, formatFraction, formatRatio, fraction, ratio, seconds } from "../../shared/units";

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

const restore: PhaseWords = {
  phase: "restore",
  title: "Restore",
  does: "write the image to the device and read it back",
};

/** The texts of a workload's phases; null: it has no such phase. */
type Aging = Partial<Record<Phase, Pick<PhaseWords, "title" | "does"> | null>>;

const ofWorkload: Record<WorkloadName, Aging> = {
  fsfb: { stable: { title: "Rounds", does: "replace 5 % of the bytes in each" } },
  churn: { stable: { title: "Churn", does: "create and delete equally many files" } },
  fresh: { rapid: { title: "Fresh", does: "leave the file system as it was made" }, stable: null },
  replay: { rapid: null, stable: { title: "Replay", does: "repeat the operations of the other run" } },
};
const ofSurvivors: Aging = {
  rapid: { title: "Create", does: "create the survivors of the other run, in order" },
  stable: null,
};

export function phasesOf(run: Run): readonly PhaseWords[] {
  const aging = run.workload === null ? {} : run.survivors ? ofSurvivors : ofWorkload[run.workload];
  const phases = onTheDevice.flatMap((words) => {
    const changed = aging[words.phase];
    return changed === null ? [] : [{ ...words, ...changed }];
  });
  return run.in_memory ? [...phases, restore] : phases;
}

export function deviceOf(run: Pick<RunItem, "device">): string {
  return run.device.path ?? run.device.stable_id;
}

/** Returns the stop conditions: age RMSE 2 %, 1 h 0 min. */
export function budgetOf(run: Pick<RunItem, "max_rmse" | "max_overwrites" | "max_seconds">): string {
  const overwrites = run.max_overwrites === null ? null : formatRatio(ratio(run.max_overwrites)).text;
  const said = [
    run.max_rmse === null ? null : `age RMSE ${formatFraction(fraction(run.max_rmse)).text}`,
    overwrites && `${overwrites} ${overwrites === "1" ? "overwrite" : "overwrites"}`,
    run.max_seconds === null ? null : formatDuration(seconds(run.max_seconds)).text,
  ].filter((words) => words !== null);
  return said.length === 0 ? "when converged" : said.join(", ");
}
