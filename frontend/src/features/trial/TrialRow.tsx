// A trial in the list.
import { Link } from "@tanstack/react-router";
import type { TrialItem } from "../../api/client";
import { MeasuredRow } from "../../shared/measured/MeasuredRow";
import { titleOf } from "./words";

function subjectOf({ arms, workloads, repetitions_count }: TrialItem): string {
  const images = arms.length === 1 ? (arms[0] ?? "") : `${arms.length} images`;
  const what = workloads.length <= 4 ? workloads.join(", ") : `${workloads.length} workloads`;
  return `${what} on ${images}, ${repetitions_count} times each`;
}

function outcomeOf(trial: TrialItem): string {
  if (trial.is_waiting) return "waits for its device";
  return `${trial.done_count} of ${trial.total_count} measured`;
}

export function TrialRow({ trial }: { trial: TrialItem }) {
  return (
    <MeasuredRow item={trial} subject={subjectOf(trial)} outcome={outcomeOf(trial)}>
      <Link to="/trials/$trialId" params={{ trialId: String(trial.id) }}>
        {titleOf(trial)}
      </Link>
    </MeasuredRow>
  );
}
