// The card of a device: its facts, its content, its lease holder, and its actions.
import { Button } from "@mantine/core";
import type { Device, DeviceItem } from "../../api/client";
import { May } from "../../shared/ui/May";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import classes from "./DeviceCard.module.css";
import { DeviceFacts } from "./DeviceFacts";
import { HealthMark } from "./HealthMark";
import { NameDevice } from "./NameDevice";
import { ChooseUsers } from "./ChooseUsers";
import { RemoveSandbox } from "./RemoveSandbox";
import { wordsOf as wordsOfShingle } from "./shingled/words";
import { toneOf, usersOf } from "./words";
import { nameOf } from "../../shared/device";
import { later } from "../../shared/later";

const EmulatedPart = later(async () => (await import("./emulated/EmulatedPart")).EmulatedPart);

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
  const since = formatTime(lease.acquired_at);
  return <p className={classes.why} title={since.exact}>{`Held for ${lease.holder} since ${since.text}`}</p>;
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
  return <Line label="Users">{usersOf(device)}</Line>;
}

function Expiry({ at }: { at: string }) {
  const expires = formatTime(at);
  return <span title={expires.exact}>{expires.text}, once nothing holds it</span>;
}

interface Props {
  device: DeviceItem;
  onAge: (device: DeviceItem) => void;
  /** Whether the device is looked at as the target of an image. */
  isForRestore: boolean;
  /** Whether an aging was chosen before the device. */
  isForAging: boolean;
  /** The checkbox that chooses the device among others. */
  choice?: React.ReactNode;
  holding: React.ReactNode;
  progress: React.ReactNode;
  history: React.ReactNode;
  actions: React.ReactNode;
}

interface AgeProps {
  device: DeviceItem;
  /** Whether it is the next sensible step: the device holds nothing. */
  isNext: boolean;
  onAge: (device: DeviceItem) => void;
}

function Age({ device, isNext, onAge }: AgeProps) {
  const isBusy = device.state === "busy";
  return (
    <Button
      variant={isNext && device.state === "available" ? "filled" : "default"}
      disabled={device.state !== "available" && !isBusy}
      onClick={() => onAge(device)}
      // The visible words begin the name.
      aria-label={`${isBusy ? "Age next:" : "Age"} ${nameOf(device)}`}
    >
      {isBusy ? "Age next" : "Age"}
    </Button>
  );
}

function Lines({ device, holding }: Pick<Props, "device" | "holding">) {
  return (
    <dl className={classes.lines}>
      {device.name !== null && (
        <Line label="Path">
          <span className="mono">{device.path ?? "No device node yet"}</span>
        </Line>
      )}
      <Line label="Holds">{holding}</Line>
      <Line label="Identity">
        <span className="mono">{device.serial ?? device.stable_id}</span>
      </Line>
      <Line label="Host">{device.host.name}</Line>
      <May needs="operator" otherwise={<OthersUsers device={device} />}>
        <Line label="Users">
          {usersOf(device)} <ChooseUsers device={device} />
        </Line>
      </May>
      {device.shingle !== null && <Line label="Shingled">{wordsOfShingle(device.shingle)}</Line>}
      {device.expires_at !== null && (
        <Line label="Expires">
          <Expiry at={device.expires_at} />
        </Line>
      )}
    </dl>
  );
}

export function DeviceCard({
  device,
  onAge,
  isForRestore,
  isForAging,
  choice,
  holding,
  progress,
  history,
  actions,
}: Props) {
  const size = formatBytes(bytes(device.size_bytes));
  return (
    <article id={`device-${device.id}`} className={classes.card} aria-label={nameOf(device)}>
      <header className={classes.head}>
        <h2 className={device.name === null ? "mono" : undefined}>
          {device.name ?? device.path ?? "No device node yet"}
        </h2>
        <StateMark tone={toneOf[device.state]}>{device.state}</StateMark>
      </header>
      {choice}
      <p>
        {device.model ?? "Unknown model"}, <span title={size.exact}>{size.text}</span>
      </p>
      <Lines device={device} holding={holding} />
      {!device.host.is_healthy && <Silence device={device} />}
      {device.jobs.length === 0 && <Holder device={device} />}
      <HealthMark device={device} />
      {device.emulation !== null && (
        <div className={classes.emulated}>
          <EmulatedPart device={device} />
        </div>
      )}
      <div className={classes.more}>
        {history}
        <May needs={device.is_usable ? "member" : "operator"}>
          <NameDevice device={device} />
        </May>
      </div>
      <DeviceFacts device={device} />
      {progress}
      <May needs={device.is_usable ? "member" : "operator"}>
        <footer className={classes.foot}>
          {device.holding === null ? (
            <>
              <Age
                device={device}
                isNext={isForAging || (device.holds === null && choice == null && !isForRestore)}
                onAge={onAge}
              />
              {actions}
            </>
          ) : (
            <>
              {actions}
              <Age device={device} isNext={isForAging} onAge={onAge} />
            </>
          )}
          {device.kind === "sandbox" && <RemoveSandbox device={device} />}
        </footer>
      </May>
    </article>
  );
}
