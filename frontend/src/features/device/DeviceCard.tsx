// The card of a device: its facts, its content, its lease holder, and its actions.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Device } from "../../api/client";
import { May } from "../../shared/ui/May";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import classes from "./DeviceCard.module.css";
import { DeviceFacts } from "./DeviceFacts";
import { ChooseUsers } from "./ChooseUsers";
import { RemoveSandbox } from "./RemoveSandbox";
import { runHolding, toneOf, usersOf } from "./words";

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className={classes.line}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Holder({ device }: { device: Device }) {
  const lease = device.active_lease;
  if (lease === null && !device.host.is_healthy) return null;
  if (lease === null)
    return device.state_reason === null ? null : <p className={classes.why}>{device.state_reason}</p>;
  const run = runHolding(device);
  const since = formatTime(lease.acquired_at);
  if (run === null) return <p className={classes.why}>{`Held for ${lease.holder} since ${since.text}`}</p>;
  return (
    <p className={classes.why}>
      Being aged by{" "}
      <Link to="/runs/$runId" params={{ runId: String(run) }}>
        run {run}
      </Link>{" "}
      <span title={since.exact}>since {since.text}</span>
    </p>
  );
}

function Silence({ device }: { device: Device }) {
  const since = formatTime(device.host.heartbeat_at);
  return (
    <p className={classes.silence} title={since.exact}>
      <StateMark tone="bad">{`No heartbeat from host ${device.host.name} since ${since.text}`}</StateMark>
    </p>
  );
}

/** Says nothing of a device that every member may use. */
function OthersUsers({ device }: { device: Device }) {
  if (device.users === "members") return null;
  return <Line label="Used by">{usersOf(device)}</Line>;
}

function Expiry({ at }: { at: string }) {
  const expires = formatTime(at);
  return <span title={expires.exact}>{expires.text}, once nothing holds it</span>;
}

interface Props {
  device: Device;
  onAge: (device: Device) => void;
  /** The checkbox that chooses the device among others. */
  choice?: React.ReactNode;
  holding: React.ReactNode;
  progress: React.ReactNode;
  actions: React.ReactNode;
}

export function DeviceCard({ device, onAge, choice, holding, progress, actions }: Props) {
  const size = formatBytes(bytes(device.size_bytes));
  const name = device.path ?? "No device node yet";
  return (
    <article className={classes.card} aria-label={device.path ?? device.stable_id}>
      <header className={classes.head}>
        <h2 className="mono">{name}</h2>
        <StateMark tone={toneOf[device.state]}>{device.state}</StateMark>
      </header>
      {choice}
      <p>
        {device.model ?? "Unknown model"}, <span title={size.exact}>{size.text}</span>
      </p>
      <dl className={classes.lines}>
        <Line label="Holds">{holding}</Line>
        <Line label="Identity">
          <span className="mono">{device.serial ?? device.stable_id}</span>
        </Line>
        <Line label="Host">{device.host.name}</Line>
        <May needs="operator" otherwise={<OthersUsers device={device} />}>
          <Line label="Used by">
            {usersOf(device)} <ChooseUsers device={device} />
          </Line>
        </May>
        {device.expires_at !== null && (
          <Line label="Expires">
            <Expiry at={device.expires_at} />
          </Line>
        )}
      </dl>
      {!device.host.is_healthy && <Silence device={device} />}
      <Holder device={device} />
      <DeviceFacts device={device} />
      {progress}
      <May needs={device.is_usable ? "member" : "operator"}>
        <footer className={classes.foot}>
          <Button
            variant={device.state === "available" && choice == null ? "filled" : "default"}
            disabled={device.state !== "available" && device.state !== "busy"}
            onClick={() => onAge(device)}
            aria-label={`Age ${device.path ?? device.stable_id}`}
          >
            {device.state === "busy" ? "Age it next" : "Age this device"}
          </Button>
          {actions}
          {device.kind === "sandbox" && <RemoveSandbox device={device} />}
        </footer>
      </May>
    </article>
  );
}
