// Makes an invitation, then shows its link once.
import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Role } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { OneSecret } from "./OneSecret";
import { useInvite } from "./queries";
import { DAY_S, roleOptions } from "./roles";

const lives = [
  { value: String(DAY_S), label: "A day" },
  { value: String(3 * DAY_S), label: "Three days" },
  { value: String(14 * DAY_S), label: "Two weeks" },
];
const unmoved = { transitionProps: { duration: 0 } };

function InviteForm({ onMade, onClose }: { onMade: (url: string) => void; onClose: () => void }) {
  const invite = useInvite();
  const [role, setRole] = useState<Role>("member");
  const [note, setNote] = useState("");
  const [life, setLife] = useState(String(3 * DAY_S));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    invite.mutate(
      { role, note: note.trim(), expires_in_s: Number(life) },
      { onSuccess: ({ url }) => onMade(url) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="For whom"
          description="For your own list; the account's name is chosen by its user"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        <Select
          label="Role"
          data={roleOptions}
          value={role}
          onChange={(value) => value !== null && setRole(value)}
          allowDeselect={false}
          comboboxProps={unmoved}
        />
        <Select
          label="Valid for"
          data={lives}
          value={life}
          onChange={(value) => value !== null && setLife(value)}
          allowDeselect={false}
          comboboxProps={unmoved}
        />
        {invite.isError && <RefusalNotice error={invite.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Make the link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function Invite({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState<string | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={url === null ? "Invite" : "The invitation"}
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={url === null}
    >
      {url === null ? (
        <InviteForm onMade={setUrl} onClose={onClose} />
      ) : (
        <OneSecret secret={url} what="the link" onClose={onClose}>
          Send this link to one person. It makes one account, and is shown only once.
        </OneSecret>
      )}
    </Modal>
  );
}
