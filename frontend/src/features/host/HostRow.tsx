// A host: its health, facts and tools, with the removal of one that is lost for good.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Host } from "../../api/client";
import { May } from "../../shared/ui/May";
import { Exact } from "../../shared/ui/Exact";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, count, formatBytes, formatCount, formatTime } from "../../shared/units";
import { AllowFolder } from "./AllowFolder";
import classes from "./HostRow.module.css";
import { isNearlyFull } from "./disk";
import { storesQuery, useRemoveHost } from "./queries";

function RemoveHost({ host }: { host: Host }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveHost();
  return (
    <>
      <Button
        variant="subtle"
        color="copper"
        onClick={() => setAsking(true)}
        aria-label={`Remove ${host.name}`}
      >
        Remove
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Remove ${host.name}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            Remove a host only if it is lost for good. The host, its devices and its unfinished jobs leave the
            lists. Images in its own store become unreachable; images in a bucket stay.
          </p>
          <p>
            {host.has_own_access
              ? "Its access to the database and the broker ends. To return with its devices, it must join again, with a new token."
              : "If its worker starts again, the host and its devices return."}
          </p>
          {remove.isError && <RefusalNotice error={remove.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it
            </Button>
            <Button
              color="copper"
              loading={remove.isPending}
              onClick={() => remove.mutate(host, { onSuccess: () => setAsking(false) })}
            >
              Remove {host.name}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Disk({ host }: { host: Host }) {
  if (host.disk_bytes === 0) return "not reported yet";
  const free = formatBytes(bytes(host.disk_free_bytes));
  const text = `${free.text} free of ${formatBytes(bytes(host.disk_bytes)).text}`;
  return (
    <span title={`${free.exact} free`}>
      {isNearlyFull(host) ? <StateMark tone="waiting">{text}</StateMark> : text}
    </span>
  );
}

/** What the chunks of its images take, as the last collection measured it. */
function Store({ host }: { host: Host }) {
  const { data: stores } = useQuery(storesQuery);
  const store = stores?.find(({ host_id }) => host_id === host.id);
  if (stores === undefined) return "…";
  if (store === undefined) return "not measured yet";
  const size = formatBytes(bytes(store.bytes));
  const measured = formatTime(store.measured_at);
  return (
    <span title={`${size.exact} in ${formatCount(count(store.chunks_count)).text} chunks, ${measured.exact}`}>
      {size.text}, measured {measured.text}
    </span>
  );
}

function Tools({ host }: { host: Host }) {
  const tools = Object.entries(host.tools);
  return (
    <details className={classes.tools}>
      <summary>
        {tools.length} tools,{" "}
        {host.device_allow.length === 0 ? "sandbox devices only" : "attached devices too"}
      </summary>
      <dl>
        {tools.map(([tool, version]) => (
          <div key={tool}>
            <dt className="mono">{tool}</dt>
            <dd>{version}</dd>
          </div>
        ))}
        <div>
          <dt>Allow-list</dt>
          <dd className="mono">{host.device_allow.join(", ") || "empty"}</dd>
        </div>
        <div>
          <dt>Commands of trials</dt>
          <dd className="mono">{host.commands.join(", ") || "none"}</dd>
        </div>
      </dl>
    </details>
  );
}

/** The folders that may be scanned there, and how another one is allowed. */
function ScanFolders({ host: { scan_folders } }: { host: Host }) {
  const amount = scan_folders.length === 0 ? "No" : scan_folders.length;
  return (
    <details className={classes.tools}>
      <summary>
        {amount} scan folder{scan_folders.length === 1 ? "" : "s"}
      </summary>
      <ul className={`mono ${classes.folders}`}>
        {scan_folders.map((folder) => (
          <li key={folder}>{folder}</li>
        ))}
      </ul>
      <May needs="operator">
        <AllowFolder />
      </May>
    </details>
  );
}

export function HostRow({ host, devices }: { host: Host; devices: React.ReactNode }) {
  const heartbeat = formatTime(host.heartbeat_at);
  return (
    <li className={classes.row} aria-label={host.name}>
      <div className={classes.head}>
        <h2>{host.name}</h2>
        <StateMark tone={host.is_healthy ? "good" : "bad"}>{host.is_healthy ? "online" : "silent"}</StateMark>
        {!host.is_healthy && <RemoveHost host={host} />}
      </div>
      <dl className={classes.facts}>
        <Fact label="Last heartbeat">
          <span title={heartbeat.exact}>{heartbeat.text}</span>
        </Fact>
        <Fact label="Devices">{devices}</Fact>
        <Fact label="Kernel">{host.kernel}</Fact>
        <Fact label="Patina">{host.patina_version ?? "unknown"}</Fact>
        <Fact label="Cores">{host.cores_count}</Fact>
        <Fact label="Memory">
          <Exact value={formatBytes(bytes(host.memory_bytes))} />
        </Fact>
        <Fact label="Disk">
          <Disk host={host} />
        </Fact>
        <Fact label="Chunk store">
          <Store host={host} />
        </Fact>
      </dl>
      <Tools host={host} />
      <ScanFolders host={host} />
    </li>
  );
}
