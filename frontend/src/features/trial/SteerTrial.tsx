// Stops a trial after a confirmation, or lets one that is at rest go on.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { Trial } from "../../api/client";
import { isAtRest } from "../../shared/job";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useContinueTrial, useStopTrial } from "./queries";

function GoOn({ trial }: { trial: Trial }) {
  const goOn = useContinueTrial(trial.id);
  return (
    <>
      <Button loading={goOn.isPending} onClick={() => goOn.mutate()}>
        Measure the rest
      </Button>
      {goOn.isError && <RefusalNotice error={goOn.error} />}
    </>
  );
}

export function SteerTrial({ trial }: { trial: Trial }) {
  const [isAsking, setAsking] = useState(false);
  const stop = useStopTrial(trial.id);
  const left = trial.repetitions.filter(({ state }) => state === "planned" || state === "failed").length;
  if (isAtRest(trial.state)) return trial.state !== "succeeded" && left > 0 ? <GoOn trial={trial} /> : null;
  if (trial.state === "canceling") return null;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Stop
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Stop trial ${trial.id}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            What was measured stays. The repetition under way is lost, and the device keeps its changes until
            it is rolled back. The rest can be measured later.
          </p>
          {stop.isError && <RefusalNotice error={stop.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep measuring
            </Button>
            <Button
              color="copper"
              loading={stop.isPending}
              onClick={() => stop.mutate(undefined, { onSuccess: () => setAsking(false) })}
            >
              Stop trial {trial.id}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
