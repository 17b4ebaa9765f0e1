// What a trial has measured and how, on its own page and on that of a shared link.
import type { Trial } from "../../api/client";
import { Amplifications } from "./Amplifications";
import { Latencies } from "./Latencies";
import { Method } from "./Method";
import { PredictedTimes } from "./PredictedTimes";
import { Repetitions } from "./Repetitions";
import { TrialProgress } from "./TrialProgress";
import { TrialResults } from "./TrialResults";

export function TrialBody({ trial }: { trial: Trial }) {
  return (
    <>
      <TrialProgress trial={trial} />
      <TrialResults trial={trial} />
      <PredictedTimes trial={trial} />
      <Amplifications trial={trial} />
      <Latencies trial={trial} />
      <Method trial={trial} />
      <Repetitions trial={trial} />
    </>
  );
}
