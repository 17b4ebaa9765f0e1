// Makes an access token, then shows it once.
import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Role } from "../../api/client";
import { includes } from "../../shared/me";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { OneSecret } from "./OneSecret";
import { useMakeToken } from "./queries";
import { DAY_S, roleOptions } from "./roles";

const lives = [
  { value: String(DAY_S), label: "A day" },
  { value: String(30 * DAY_S), label: "30 days" },
  { value: String(90 * DAY_S), label: "90 days" },
  { value: String(365 * DAY_S), label: "A year" },
];
const unmoved = { transitionProps: { duration: 0 } };

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
  const [role, setRole] = useState<Role>(most === "viewer" ? "viewer" : "member");
  const [life, setLife] = useState(String(30 * DAY_S));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    make.mutate(
      { title: title.trim(), role, expires_in_s: Number(life) },
      { onSuccess: ({ token }) => onMade(token) },
    );
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
        <Select
          label="Role"
          description="The most that it may do"
          data={roleOptions.filter(({ value }) => includes(most, value))}
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
    <Modal
      opened
      onClose={onClose}
      title={token === null ? "Make an access token" : "The access token"}
      closeButtonProps={{ "aria-label": "Close" }}
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
    </Modal>
  );
}
