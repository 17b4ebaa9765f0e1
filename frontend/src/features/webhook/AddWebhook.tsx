// Adds a webhook, then shows its secret once.
import { Button, Checkbox, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { NoticeKind, WebhookCreated } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useAddWebhook } from "./queries";
import { kinds } from "./words";

function Secret({ webhook, onClose }: { webhook: WebhookCreated; onClose: () => void }) {
  return (
    <Stack gap="md">
      <p>
        {webhook.title} is added. Give this secret to its receiver: it signs every message, as the Standard
        Webhooks specification defines. It is shown only once.
      </p>
      <Copyable text={webhook.secret} what="the secret" isBlock />
      <Group justify="flex-end">
        <Button onClick={onClose}>I have kept the secret</Button>
      </Group>
    </Stack>
  );
}

function WebhookForm({
  onAdded,
  onClose,
}: {
  onAdded: (webhook: WebhookCreated) => void;
  onClose: () => void;
}) {
  const add = useAddWebhook();
  const [title, setTitle] = useState("");
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<NoticeKind[]>(["succeeded", "failed", "needs_you"]);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    add.mutate({ title, url, kinds: chosen }, { onSuccess: onAdded });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          maxLength={100}
          required
          data-autofocus
        />
        <TextInput
          label="Address"
          description="URL that the server posts to"
          placeholder="https://"
          type="url"
          pattern="https?://.+"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value.trim())}
          maxLength={2000}
          required
        />
        <Checkbox.Group
          label="Send a message when"
          value={chosen}
          onChange={(values) =>
            setChosen(kinds.map(({ kind }) => kind).filter((kind) => values.includes(kind)))
          }
        >
          <Stack gap={8} mt={8}>
            {kinds.map(({ kind, title: label }) => (
              <Checkbox key={kind} value={kind} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        {add.isError && <RefusalNotice error={add.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={chosen.length === 0}>
            Add this webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Stays mounted while the list behind it changes, so that the secret is not lost. */
export function AddWebhook({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [added, setAdded] = useState<WebhookCreated | null>(null);
  const close = () => {
    onClose();
    setAdded(null);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={added === null ? "Add a webhook" : "The secret of the webhook"}
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={added === null}
    >
      {added === null ? (
        <WebhookForm onAdded={setAdded} onClose={close} />
      ) : (
        <Secret webhook={added} onClose={close} />
      )}
    </Modal>
  );
}
