// The controls of a running run: pause, resume, change the stop conditions, stop.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import type { Run } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { usePauseRun } from "../queries";
import { StopConditionsDialog } from "./StopConditionsDialog";
import { StopRun } from "./StopRun";
import { isAfterAging, type Telemetry } from "../live/telemetry";

function PauseRun({ run, isPaused }: { run: Run; isPaused: boolean }) {
  const pause = usePauseRun(run.id);
  const isAsked = run.pause_requested_at !== null;
  const isSettled = isAsked === isPaused;
  const title = isSettled ? (isPaused ? "Resume" : "Pause") : isPaused ? "Resuming" : "Pausing";
  return (
    <>
      <Button
        variant={isPaused ? "filled" : "default"}
        miw="6.5rem"
        loading={pause.isPending}
        disabled={!isSettled}
        onClick={() => pause.mutate(isPaused ? "resume" : "pause")}
      >
        {title}
      </Button>
      {pause.isError && <RefusalNotice error={pause.error} />}
    </>
  );
}

function GoOn({ run }: { run: Run }) {
  const resume = usePauseRun(run.id);
  return (
    <>
      <Button loading={resume.isPending} onClick={() => resume.mutate("resume")}>
        Resume now
      </Button>
      {resume.isError && <RefusalNotice error={resume.error} />}
    </>
  );
}

export function SteerRun({ run, telemetry }: { run: Run; telemetry: Telemetry }) {
  const [isChanging, setChanging] = useState(false);
  const { state } = telemetry;
  const isCanceling = state === "canceling" || run.stop_requested_at !== null;
  const isAging = (state === "running" || state === "paused") && !isAfterAging(telemetry) && !isCanceling;
  return (
    <Group gap="xs">
      {isAging && <PauseRun run={run} isPaused={state === "paused"} />}
      {isAging && (
        <Button variant="default" onClick={() => setChanging(true)}>
          Stop conditions…
        </Button>
      )}
      {state === "interrupted" && <GoOn run={run} />}
      <StopRun run={run} state={state} isCanceling={isCanceling} />
      {isChanging && <StopConditionsDialog run={run} onClose={() => setChanging(false)} />}
    </Group>
  );
}
