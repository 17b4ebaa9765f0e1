// A run as its link shows it, live or ended: its figures and curves.
import type { Run } from "../../api/client";
import { goalOf } from "../../shared/goal";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { StateMark } from "../../shared/ui/StateMark";
import { toneOf } from "../../shared/job";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import { Measured } from "./figures/Measured";
import { EventLog } from "./live/EventLog";
import { PhaseStepper } from "./live/PhaseStepper";
import { telemetryOf } from "./live/telemetry";
import { useRunFeed } from "./live/useRunFeed";
import { deviceOf } from "./words";
import { useMemo } from "react";

function Summary({ run }: { run: Run }) {
  const created = formatTime(run.created_at);
  const size = formatBytes(bytes(run.device.size_bytes));
  return (
    <>
      {goalOf(run)}, {run.file_system} on <span className="mono">{deviceOf(run)}</span> (
      <span title={size.exact}>{size.text}</span>), since <span title={created.exact}>{created.text}</span>
    </>
  );
}

export function SharedRun({ run }: { run: Run }) {
  const { snapshot: feed } = useRunFeed(run.id);
  const telemetry = useMemo(() => telemetryOf(run, feed.journal), [run, feed.journal]);
  return (
    <SharedFrame
      title={`Run ${run.id}`}
      badge={<StateMark tone={toneOf[telemetry.state]}>{telemetry.state}</StateMark>}
      about={<Summary run={run} />}
      accountName={run.account_name}
    >
      <PhaseStepper run={run} telemetry={telemetry} />
      <Measured run={run} telemetry={telemetry} />
      <EventLog journal={feed.journal} connection={feed.connection} />
      {run.note !== "" && (
        <section aria-labelledby="note">
          <h2 id="note">Note</h2>
          <p>{run.note}</p>
        </section>
      )}
    </SharedFrame>
  );
}
