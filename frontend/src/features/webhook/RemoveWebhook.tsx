// Removes a webhook after a confirmation.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { Webhook } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useRemoveWebhook } from "./queries";

export function RemoveWebhook({ webhook }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveWebhook(webhook);
  return (
    <>
      <Button variant="subtle" color="copper" onClick={() => setAsking(true)}>
        Remove {webhook.title}
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Remove ${webhook.title}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            Its secret and its deliveries are deleted; pending deliveries are not sent. To pause it, switch it
            off.
          </p>
          {remove.isError && <RefusalNotice error={remove.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it
            </Button>
            <Button color="copper" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
              Remove it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
