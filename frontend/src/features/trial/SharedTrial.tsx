// A trial as its link shows it: its results and how they were measured.
import type { Trial } from "../../api/client";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { Amplifications } from "./Amplifications";
import { ExportTrial } from "./ExportTrial";
import { Latencies } from "./Latencies";
import { Method } from "./Method";
import { Repetitions } from "./Repetitions";
import { TrialProgress } from "./TrialProgress";
import { TrialResults } from "./TrialResults";
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
      <TrialProgress trial={trial} />
      <TrialResults trial={trial} />
      <Amplifications trial={trial} />
      <Latencies trial={trial} />
      <Method trial={trial} />
      <Repetitions trial={trial} />
    </SharedFrame>
  );
}
