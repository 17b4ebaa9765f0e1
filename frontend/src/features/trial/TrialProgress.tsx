// How far a trial is, and what it does now.
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Trial } from "../../api/client";
import { isEnded, toneOf } from "../../shared/job";
import { StateMark } from "../../shared/ui/StateMark";
import { formatDuration, seconds } from "../../shared/units";

/** Returns the time that the rest will take at the pace so far; null before the second repetition. */
function leftOf({ repetitions }: Trial): string | null {
  const times = repetitions.flatMap(({ started_at, finished_at }) =>
    started_at === null || finished_at === null ? [] : [Date.parse(finished_at)],
  );
  const first = repetitions.find(({ started_at }) => started_at !== null)?.started_at;
  const left = repetitions.filter(({ state }) => state === "planned").length;
  if (times.length < 2 || first == null || left === 0) return null;
  const each = (Math.max(...times) - Date.parse(first)) / times.length / 1000;
  return formatDuration(seconds(each * left)).text;
}

/** The runs that make its images, until all have ended. */
function MakingRuns({ trial: { runs } }: { trial: Trial }) {
  if (runs.every(({ state }) => isEnded(state))) return null;
  return (
    <ul className="patina-list" aria-label="Images being made">
      {runs.map(({ id, state, message }) => (
        <li key={id}>
          <StateMark tone={toneOf[state]}>{state}</StateMark>{" "}
          <Link to="/runs/$runId" params={{ runId: String(id) }} className="patina-link">
            Run {id}
          </Link>{" "}
          <span className="patina-quiet">{message}</span>
        </li>
      ))}
    </ul>
  );
}

export function TrialProgress({ trial }: { trial: Trial }) {
  const total = trial.repetitions.length;
  const ended = trial.repetitions.filter(({ state }) => state !== "planned").length;
  const left = isEnded(trial.state) ? null : leftOf(trial);
  return (
    <div role="status">
      <p>
        <StateMark tone={toneOf[trial.state]}>{trial.state}</StateMark> {trial.message}
      </p>
      <MakingRuns trial={trial} />
      {!isEnded(trial.state) && (
        <>
          <Progress
            value={(ended / Math.max(1, total)) * 100}
            aria-label="Repetitions that have ended"
            mt="xs"
          />
          <p className="patina-quiet">
            {ended} of {total} repetitions{left !== null && `, about ${left} left`}
          </p>
        </>
      )}
      {trial.error_log !== null && <pre>{trial.error_log}</pre>}
    </div>
  );
}
