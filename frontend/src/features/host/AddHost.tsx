// Adds a host: makes a join token and shows the command to run on the machine.
import { Button, Group, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { JoinTokenMade } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatTime } from "../../shared/units";
import { useMakeJoinToken } from "./queries";

const HOUR_S = 3_600;
const lives = [
  { value: String(HOUR_S), label: "An hour" },
  { value: String(24 * HOUR_S), label: "A day" },
  { value: String(7 * 24 * HOUR_S), label: "A week" },
];
const nameRule = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function commandOf(made: JoinTokenMade, name: string): string {
  // The token is not an argument: every user of the machine can read the command line while it runs.
  return `echo ${made.token} | sudo bin/patina-worker join ${made.server_url} --token - --name ${name}`;
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** A warning for a page opened on the server itself, where no other address is set. */
function OwnAddress({ url }: { url: string }) {
  if (!loopback.includes(new URL(url).hostname)) return null;
  return (
    <p>
      Other machines cannot reach this loopback address. Replace it with the server&apos;s address in their
      network, or set <code>PATINA_ADVERTISED_URL</code>.
    </p>
  );
}

function TheCommand({ made, name, onClose }: { made: JoinTokenMade; name: string; onClose: () => void }) {
  const until = formatTime(made.expires_at);
  return (
    <Stack gap="md">
      <p>
        Run this command on the new host, in a checkout of this version. The host appears here within seconds.
      </p>
      <Copyable text={commandOf(made, name)} what="the command" isBlock />
      <OwnAddress url={made.server_url} />
      <p>
        The token is shown only once. It is valid for{" "}
        {made.uses_count === 1 ? "one host" : `${made.uses_count} hosts with different names`}, until{" "}
        <span title={until.exact}>{until.text}</span>. It gives access to the database: treat it as a
        password.
      </p>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function AskForToken({
  onMade,
  onClose,
}: {
  onMade: (made: JoinTokenMade, name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState("");
  const [uses, setUses] = useState<number | string>(1);
  const [life, setLife] = useState(String(HOUR_S));
  const make = useMakeJoinToken();
  const isNamed = nameRule.test(name);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isNamed) return;
    make.mutate(
      { uses_count: Number(uses) || 1, expires_in_s: Number(life) },
      { onSuccess: (made) => onMade(made, name) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="lab-2"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={name === "" || isNamed ? null : "Letters, digits, dots and dashes, at most 63"}
          data-autofocus
        />
        <Group grow gap="xs" align="flex-start">
          <NumberInput label="Number of hosts" value={uses} onChange={setUses} min={1} max={100} />
          <Select
            label="Valid for"
            data={lives}
            value={life}
            onChange={(value) => setLife(value ?? String(HOUR_S))}
            allowDeselect={false}
            comboboxProps={{ transitionProps: { duration: 0 } }}
          />
        </Group>
        {make.isError && <RefusalNotice error={make.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isNamed} loading={make.isPending}>
            Make a join token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function AddHost({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ token: JoinTokenMade; name: string } | null>(null);
  return (
    <Dialog onClose={onClose} size={640} title="Add a host">
      {made === null ? (
        <AskForToken onMade={(token, name) => setMade({ token, name })} onClose={onClose} />
      ) : (
        <TheCommand made={made.token} name={made.name} onClose={onClose} />
      )}
    </Dialog>
  );
}
