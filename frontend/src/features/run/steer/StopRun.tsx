// Stops a run after a confirmation.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { JobState, Run } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useCancelRun } from "../queries";
import { deviceOf } from "../words";

interface Props {
  run: Run;
  state: JobState;
  isCanceling: boolean;
}

/** Says what happens to this run. */
function Consequence({ run, state }: Omit<Props, "isCanceling">) {
  const device = <span className="mono">{deviceOf(run)}</span>;
  if (state === "queued" && run.attempt === 0)
    return (
      <p>
        Run {run.id} has not begun. It leaves the queue of {device} and writes nothing to it. No other job is
        stopped.
      </p>
    );
  if (state === "queued" || state === "interrupted")
    return (
      <p>
        Run {run.id} was interrupted and does not go on. No image of it is captured. Its measurements so far
        stay here.
      </p>
    );
  return (
    <p>
      Run {run.id} stops aging {device} now and releases the device. No image is captured. Its measurements so
      far stay here.
    </p>
  );
}

export function StopRun({ run, state, isCanceling }: Props) {
  const [isAsking, setAsking] = useState(false);
  const cancel = useCancelRun(run.id);
  return (
    <>
      <Button variant="default" disabled={isCanceling} onClick={() => setAsking(true)}>
        {isCanceling ? "Stopping" : "Stop this run"}
      </Button>
      <Modal
        opened={isAsking && !isCanceling}
        onClose={() => setAsking(false)}
        title={`Stop run ${run.id}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <Consequence run={run} state={state} />
          {cancel.isError && <RefusalNotice error={cancel.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              {state === "queued" ? "Keep it queued" : state === "interrupted" ? "Keep it" : "Keep aging"}
            </Button>
            <Button
              color="copper"
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
            >
              Stop run {run.id}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
