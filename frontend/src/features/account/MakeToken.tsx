// Makes an access token, then shows it once.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Role } from "../../api/client";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { OneSecret } from "./OneSecret";
import { useMakeToken } from "./queries";
import { RoleAndLife, type Given } from "./RoleAndLife";
import { DAY_S } from "./roles";

function TokenForm({
  most,
  onMade,
  onClose,
}: {
  most: Role;
  onMade: (token: string) => void;
  onClose: () => void;
}) {
  const make = useMakeToken();
  const [title, setTitle] = useState("");
  const [given, setGiven] = useState<Given>({
    role: most === "viewer" ? "viewer" : "member",
    expires_in_s: 30 * DAY_S,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    make.mutate({ title: title.trim(), ...given }, { onSuccess: ({ token }) => onMade(token) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="What it is for"
          placeholder="nightly CI"
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          maxLength={100}
          required
          data-autofocus
        />
        <RoleAndLife given={given} most={most} longest_s={365 * DAY_S} onChange={setGiven} />
        {make.isError && <RefusalNotice error={make.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={title.trim() === ""}>
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function MakeToken({ most, onClose }: { most: Role; onClose: () => void }) {
  const [token, setToken] = useState<string | null>(null);
  return (
    <Dialog
      onClose={onClose}
      title={token === null ? "Make an access token" : "The access token"}
      closeOnClickOutside={token === null}
    >
      {token === null ? (
        <TokenForm most={most} onMade={setToken} onClose={onClose} />
      ) : (
        <OneSecret secret={token} what="the token" onClose={onClose}>
          It is shown only once. Set <code>PATINA_TOKEN</code> to it, or send it as{" "}
          <code>Authorization: Bearer</code>.
        </OneSecret>
      )}
    </Dialog>
  );
}
