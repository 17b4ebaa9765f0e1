// The hosts: their health and facts, and how another one joins.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Host } from "../../api/client";
import { devicesQuery } from "../../features/device/queries";
import { AddHost } from "../../features/host/AddHost";
import { HostRow } from "../../features/host/HostRow";
import { JoinTokens } from "../../features/host/JoinTokens";
import { hostsQuery, joinTokensQuery } from "../../features/host/queries";
import { Empty } from "../../shared/ui/Empty";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Rows } from "../../shared/ui/waiting/shapes";

function DevicesOf({ host }: { host: Host }) {
  const devices = useQuery(devicesQuery);
  if (devices.data === undefined) return <>not known yet</>;
  const own = devices.data.filter((device) => device.host.id === host.id);
  if (own.length === 0) return <>none</>;
  const free = own.filter(({ state }) => state === "available").length;
  return (
    <Link to="/devices" className="patina-link">
      {own.length}, {free} available
    </Link>
  );
}

function Tokens() {
  const tokens = useQuery(joinTokensQuery);
  if (tokens.data?.length === 0) return null;
  return (
    <section aria-labelledby="tokens">
      <div className="patina-section" style={{ borderBottom: 0, marginBottom: 0 }}>
        <h2 id="tokens">Join tokens</h2>
        <span>Only digests of the tokens are stored</span>
      </div>
      <Panel query={tokens} skeleton={<Rows count={2} height={52} />}>
        {(data) => <JoinTokens tokens={data} />}
      </Panel>
    </section>
  );
}

export function HostsPage() {
  const hosts = useQuery(hostsQuery);
  const [isAdding, setAdding] = useState(false);
  const add = (
    <May needs="operator">
      <Button onClick={() => setAdding(true)}>Add a host</Button>
    </May>
  );
  return (
    <>
      <PageHeader title="Hosts" action={add}>
        Machines that run a worker. Each serves its own devices.
      </PageHeader>
      <div className="patina-stack">
        <Panel query={hosts} skeleton={<Rows count={3} height={80} />}>
          {(data) =>
            data.length === 0 ? (
              <Empty title="No host reports yet">
                Start the worker of this machine with <code>make run</code>, or add another machine.
              </Empty>
            ) : (
              <ul className="patina-list" aria-label="All hosts">
                {data.map((host) => (
                  <HostRow key={host.id} host={host} devices={<DevicesOf host={host} />} />
                ))}
              </ul>
            )
          }
        </Panel>
        <May needs="operator">
          <Tokens />
        </May>
      </div>
      {isAdding && <AddHost onClose={() => setAdding(false)} />}
    </>
  );
}
