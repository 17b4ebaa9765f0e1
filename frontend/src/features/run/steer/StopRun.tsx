// Stops a run after a confirmation.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { Run } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useCancelRun } from "../queries";
import { deviceOf } from "../words";

export function StopRun({ run, isCanceling }: { run: Run; isCanceling: boolean }) {
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
          <p>
            Aging of <span className="mono">{deviceOf(run)}</span> stops now, and the device is released. No
            image is captured. The measurements so far stay here.
          </p>
          {cancel.isError && <RefusalNotice error={cancel.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep aging
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
