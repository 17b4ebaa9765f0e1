// What a trial measures, in a line.
import type { Trial } from "../../api/client";
import { formatTime } from "../../shared/units";
import { nameOfWorkload } from "./words";

export function TrialSummary({ trial }: { trial: Trial }) {
  const at = formatTime(trial.created_at);
  const { arms, workloads } = trial.settings;
  return (
    <>
      {workloads.map(nameOfWorkload).join(", ")} on{" "}
      {arms.length === 1 ? "one image" : `${arms.length} images`}, device{" "}
      <span className="mono">{trial.device.path ?? trial.device.stable_id}</span>, since{" "}
      <span title={at.exact}>{at.text}</span>
    </>
  );
}
