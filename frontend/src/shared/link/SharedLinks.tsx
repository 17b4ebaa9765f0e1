// Links that show one thing without an account: makes one, lists and revokes them.
import { Button, Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SharedLink, Shown } from "../../api/client";
import { Copyable } from "../ui/Copyable";
import { Dialog } from "../ui/Dialog";
import { Panel } from "../ui/Panel";
import { RefusalNotice } from "../ui/RefusalNotice";
import { formatTime } from "../units";
import { sharedLinksQuery, useMakeSharedLink, useRevokeSharedLink } from "./queries";
import { Rows } from "../ui/waiting/shapes";

const DAY_S = 86_400;
const lives = [
  { value: String(DAY_S), label: "A day" },
  { value: String(7 * DAY_S), label: "A week" },
  { value: String(30 * DAY_S), label: "30 days" },
];

function LinkRow({ shown, link }: { shown: Shown; link: SharedLink }) {
  const revoke = useRevokeSharedLink(shown);
  const [made, until] = [formatTime(link.created_at), formatTime(link.expires_at)];
  return (
    <li>
      <Group justify="space-between">
        <span>
          Made <span title={made.exact}>{made.text}</span>, until{" "}
          <span title={until.exact}>{until.text}</span>
        </span>
        <Button
          variant="subtle"
          color="copper"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(link.id)}
          aria-label={`Revoke link ${link.id}`}
        >
          Revoke
        </Button>
      </Group>
      {revoke.isError && <RefusalNotice error={revoke.error} />}
    </li>
  );
}

export function SharedLinks({ shown, what, onClose }: { shown: Shown; what: string; onClose: () => void }) {
  const links = useQuery(sharedLinksQuery(shown));
  const make = useMakeSharedLink(shown);
  const [life, setLife] = useState(String(7 * DAY_S));
  return (
    <Dialog onClose={onClose} title="Share by a link" closeOnClickOutside={make.data === undefined}>
      <Stack gap="md">
        <p>A link shows {what} to anyone who has it, without an account.</p>
        <Group align="flex-end" gap="xs">
          <Select
            label="Valid for"
            data={lives}
            value={life}
            onChange={(value) => value !== null && setLife(value)}
            allowDeselect={false}
            comboboxProps={{ transitionProps: { duration: 0 } }}
          />
          <Button loading={make.isPending} onClick={() => make.mutate(Number(life))}>
            Make the link
          </Button>
        </Group>
        {make.isError && <RefusalNotice error={make.error} />}
        {make.data !== undefined && (
          <div role="status">
            <p>It is shown only once.</p>
            <Copyable text={make.data.url} what="the link" isBlock />
          </div>
        )}
        <Panel query={links} skeleton={<Rows count={1} height={40} />}>
          {(data) =>
            data.length === 0 ? (
              <p className="patina-quiet">No link is open.</p>
            ) : (
              <ul className="patina-list" aria-label="Open links">
                {data.map((link) => (
                  <LinkRow key={link.id} shown={shown} link={link} />
                ))}
              </ul>
            )
          }
        </Panel>
      </Stack>
    </Dialog>
  );
}
