// The phases of a run in order, with the progress of the present one.
import { Progress } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { Phase, Run } from "../../../api/client";
import {
  formatDuration,
  formatDurationRange,
  formatFraction,
  fraction,
  seconds,
} from "../../../shared/units";
import { isEnded } from "../../../shared/job";
import classes from "./PhaseStepper.module.css";
import { remainingOf } from "../figures/remaining";
import { isAfterAging, progressOf, type Telemetry } from "./telemetry";
import { phasesOf } from "../words";

type Face = "done" | "now" | "to come" | "stopped";

function faceOf(telemetry: Telemetry, index: number, present: number): Face {
  if (telemetry.state === "succeeded") return "done";
  if (index < present) return "done";
  if (index > present) return "to come";
  return isEnded(telemetry.state) ? "stopped" : "now";
}

/** Returns the range of times by the recent pace, widened to include the time by the pace of the whole run. */
function between(telemetry: Telemetry, eta_s: number): string {
  const left = telemetry.plan === null ? null : remainingOf(telemetry.series, telemetry.plan);
  if (left === null) return "";
  const [low, high] = [Math.min(left.low_s, eta_s), Math.max(left.high_s, eta_s)];
  if (low === high) return "";
  return `, ${formatDurationRange(seconds(low), seconds(high)).text}`;
}

function Remaining({ telemetry }: { telemetry: Telemetry }) {
  const eta_s = telemetry.sample?.eta_s ?? null;
  if (isEnded(telemetry.state) || isAfterAging(telemetry) || eta_s === null) return null;
  return (
    <span title="By the pace of the whole run; the range by the middle half of its recent paces">
      about {formatDuration(seconds(eta_s)).text} left{between(telemetry, eta_s)}
    </span>
  );
}

const barLabels: Partial<Record<Phase, string>> = { capture: "Captured", restore: "Restored" };

export function PhaseStepper({ run, telemetry }: { run: Run; telemetry: Telemetry }) {
  const phases = phasesOf(run);
  const present = phases.findIndex(({ phase }) => phase === telemetry.phase);
  const progress_fraction = progressOf(telemetry);
  const percent = progress_fraction === null ? null : formatFraction(fraction(progress_fraction)).text;
  return (
    <section aria-label="Progress">
      <ol className={classes.steps}>
        {phases.map(({ phase, title, does }, index) => {
          const face = faceOf(telemetry, index, present);
          return (
            <li key={phase} data-face={face} aria-current={face === "now" ? "step" : undefined} title={does}>
              <span className={classes.number} aria-hidden>
                {face === "done" ? <IconCheck size={14} /> : index + 1}
              </span>
              <span className={classes.title}>{title}</span>
            </li>
          );
        })}
      </ol>
      <div className={classes.bar}>
        <Progress
          value={(progress_fraction ?? 0) * 100}
          aria-label={barLabels[telemetry.phase ?? "prepare"] ?? "Aged"}
          size={6}
          transitionDuration={100}
        />
        <p className={classes.words}>
          <span>{percent ?? (isEnded(telemetry.state) ? "" : "waiting for the first sample")}</span>
          <Remaining telemetry={telemetry} />
        </p>
      </div>
    </section>
  );
}
