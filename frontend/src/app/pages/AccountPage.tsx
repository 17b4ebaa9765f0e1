// The own account: password, sessions, access tokens.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChangePassword } from "../../features/account/ChangePassword";
import { Credentials } from "../../features/account/Credentials";
import { Identity } from "../../features/account/Identity";
import { MakeToken } from "../../features/account/MakeToken";
import { MyTeams } from "../../features/account/MyTeams";
import { credentialsQuery, useSignOut, useSignOutElsewhere } from "../../features/account/queries";
import { meQuery } from "../../shared/me";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { Rows } from "../../shared/ui/waiting/shapes";

export function AccountPage() {
  const { data: me } = useQuery(meQuery);
  const credentials = useQuery(credentialsQuery);
  const signOut = useSignOut();
  const elsewhere = useSignOutElsewhere();
  const [isMaking, setMaking] = useState(false);
  const role = me?.role ?? "viewer";
  return (
    <>
      <PageHeader
        title={me?.account?.name ?? "Account"}
        tab="Account"
        action={
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        }
      >
        Your account on this server, with the role {role}.
      </PageHeader>
      <div className="patina-stack">
        {signOut.isError && <RefusalNotice error={signOut.error} />}
        <MyTeams />
        <section aria-labelledby="credentials">
          <div className="patina-section" style={{ borderBottom: 0, marginBottom: 0 }}>
            <h2 id="credentials">Sessions and access tokens</h2>
            <span>An access token lets a program act for you</span>
          </div>
          <Panel query={credentials} skeleton={<Rows count={2} height={52} />}>
            {(data) => <Credentials credentials={data} />}
          </Panel>
          <Group gap="xs" mt="md">
            <Button onClick={() => setMaking(true)}>Make an access token</Button>
            <Button
              variant="default"
              loading={elsewhere.isPending}
              onClick={() => elsewhere.mutate(undefined)}
            >
              End and revoke all others
            </Button>
          </Group>
          {elsewhere.isError && <RefusalNotice error={elsewhere.error} />}
        </section>
        <section aria-labelledby="password">
          <div className="patina-section">
            <h2 id="password">Password</h2>
          </div>
          <ChangePassword />
        </section>
        {me?.provider != null && (
          <section aria-labelledby="identity">
            <div className="patina-section">
              <h2 id="identity">Sign-in with {me.provider}</h2>
            </div>
            <Identity provider={me.provider} identity={me.identity} />
          </section>
        )}
      </div>
      {isMaking && <MakeToken most={role} onClose={() => setMaking(false)} />}
    </>
  );
}
