// The accounts of this server and its open invitations; for owners.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AccountRows } from "../../features/account/AccountRows";
import { Invite } from "../../features/account/Invite";
import { LinkRows } from "../../features/account/LinkRows";
import { Teams } from "../../features/account/Teams";
import { accountsQuery, linksQuery } from "../../features/account/queries";
import { meQuery } from "../../shared/me";
import { teamsQuery } from "../../shared/teams";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Rows } from "../../shared/ui/waiting/shapes";

export function PeoplePage() {
  const { data: me } = useQuery(meQuery);
  const accounts = useQuery(accountsQuery);
  const links = useQuery(linksQuery);
  const teams = useQuery(teamsQuery);
  const [isInviting, setInviting] = useState(false);
  const action = (
    <Group gap="xs">
      <LinkButton to="/audit" variant="default">
        Audit trail
      </LinkButton>
      <Button onClick={() => setInviting(true)}>Invite</Button>
    </Group>
  );
  return (
    <>
      <PageHeader title="People" action={action}>
        The accounts of this server, and their teams. An invitation is a link that makes one account.
      </PageHeader>
      <div className="patina-stack">
        <Panel query={accounts} skeleton={<Rows count={3} height={52} />}>
          {(data) =>
            me?.account ? <AccountRows accounts={data} me={me.account} provider={me.provider} /> : null
          }
        </Panel>
        <section aria-labelledby="teams">
          <div className="patina-section" style={{ borderBottom: 0, marginBottom: 0 }}>
            <h2 id="teams">Teams</h2>
            <span>Accounts that share images which others do not see</span>
          </div>
          <Panel query={teams} skeleton={<Rows count={1} height={52} />}>
            {(data) => <Teams teams={data} accounts={accounts.data ?? []} />}
          </Panel>
        </section>
        {links.data?.length !== 0 && (
          <section aria-labelledby="links">
            <div className="patina-section" style={{ borderBottom: 0, marginBottom: 0 }}>
              <h2 id="links">Open links</h2>
              <span>Only digests of the links are stored</span>
            </div>
            <Panel query={links} skeleton={<Rows count={1} height={52} />}>
              {(data) => <LinkRows links={data} />}
            </Panel>
          </section>
        )}
      </div>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}
