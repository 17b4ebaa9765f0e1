// Makes an invitation, then shows its link once.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { OneSecret } from "./OneSecret";
import { useInvite } from "./queries";
import { RoleAndLife, type Given } from "./RoleAndLife";
import { DAY_S } from "./roles";

function InviteForm({ onMade, onClose }: { onMade: (url: string) => void; onClose: () => void }) {
  const invite = useInvite();
  const [given, setGiven] = useState<Given>({ role: "member", expires_in_s: 3 * DAY_S });
  const [note, setNote] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    invite.mutate({ ...given, note: note.trim() }, { onSuccess: ({ url }) => onMade(url) });
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
        <RoleAndLife given={given} most="owner" longest_s={30 * DAY_S} onChange={setGiven} />
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
    <Dialog
      onClose={onClose}
      title={url === null ? "Invite" : "The invitation"}
      closeOnClickOutside={url === null}
    >
      {url === null ? (
        <InviteForm onMade={setUrl} onClose={onClose} />
      ) : (
        <OneSecret secret={url} what="the link" onClose={onClose}>
          Send this link to one person. It makes one account, and is shown only once.
        </OneSecret>
      )}
    </Dialog>
  );
}
