// Stops every run of a batch after a confirmation.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { Batch } from "../../api/client";
import { isEnded } from "../../shared/job";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { hasRested, useCancelBatch } from "./queries";
import { statesOf } from "./words";

export function StopBatch({ batch }: { batch: Batch }) {
  const [isAsking, setAsking] = useState(false);
  const cancel = useCancelBatch(batch.id);
  if (hasRested(batch)) return null;
  const open = batch.runs.filter(({ state }) => !isEnded(state));
  const verb = `Stop ${open.length} ${open.length === 1 ? "run" : "runs"}`;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Stop all runs
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Stop all runs of batch ${batch.id}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            Batch {batch.id} has {batch.runs.length} runs: {statesOf(batch)}. Runs that age stop now and
            release their devices; queued ones leave the queues of their devices. No image of them is
            captured.
          </p>
          {cancel.isError && <RefusalNotice error={cancel.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep them
            </Button>
            <Button
              color="copper"
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
