// A trial as its link shows it: its results and how they were measured.
import type { Trial } from "../../api/client";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { ExportTrial } from "./ExportTrial";
import { TrialBody } from "./TrialBody";
import { TrialSummary } from "./TrialSummary";
import { titleOf } from "./words";

export function SharedTrial({ trial }: { trial: Trial }) {
  return (
    <SharedFrame
      title={titleOf(trial)}
      about={<TrialSummary trial={trial} />}
      accountName={trial.account_name}
      action={<ExportTrial trial_id={trial.id} />}
    >
      <TrialBody trial={trial} />
    </SharedFrame>
  );
}
