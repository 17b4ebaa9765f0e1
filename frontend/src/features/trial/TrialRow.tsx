// A trial in the list.
import { Link } from "@tanstack/react-router";
import type { TrialItem } from "../../api/client";
import { toneOf } from "../../shared/job";
import { restrictionOf } from "../../shared/sharing";
import { StateMark } from "../../shared/ui/StateMark";
import { formatTime } from "../../shared/units";
import classes from "./TrialRow.module.css";
import { titleOf } from "./words";

function subjectOf({ arms, workloads, repetitions_count }: TrialItem): string {
  const images = arms.length === 1 ? (arms[0] ?? "") : `${arms.length} images`;
  const what = workloads.length <= 4 ? workloads.join(", ") : `${workloads.length} workloads`;
  return `${what} on ${images}, ${repetitions_count} times each`;
}

function outcomeOf(trial: TrialItem): string {
  if (trial.state === "failed") return trial.message;
  if (trial.is_waiting) return "waits for its device";
  return `${trial.done_count} of ${trial.total_count} measured`;
}

export function TrialRow({ trial }: { trial: TrialItem }) {
  const at = formatTime(trial.created_at);
  return (
    <li className={classes.row}>
      <Link to="/trials/$trialId" params={{ trialId: String(trial.id) }} className={classes.name ?? ""}>
        {titleOf(trial)}
      </Link>
      <span>{subjectOf(trial)}</span>
      <StateMark tone={toneOf[trial.state]}>{trial.state}</StateMark>
      <span className={classes.quiet}>{outcomeOf(trial)}</span>
      <span className={classes.quiet} title={at.exact}>
        {at.text}
        {trial.visibility !== "everyone" && `, ${restrictionOf(trial.visibility)}`}
      </span>
    </li>
  );
}
