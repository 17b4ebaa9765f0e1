// The list of attached devices without actions, each with the reason.
import type { Device } from "../../api/client";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./AttachedDevices.module.css";
import { DeviceFacts } from "./DeviceFacts";
import { HealthMark } from "./HealthMark";
import { toneOf } from "./words";
import { nameOf } from "../../shared/device";

function Row({ device, isOneOfMany }: { device: Device; isOneOfMany: boolean }) {
  const size = formatBytes(bytes(device.size_bytes));
  return (
    <li className={classes.row} aria-label={nameOf(device)}>
      <span className={device.name === null ? `mono ${classes.path}` : classes.path}>{nameOf(device)}</span>
      <span className={classes.what}>
        {device.model ?? "Unknown model"}, <span title={size.exact}>{size.text}</span>
        {isOneOfMany && <span className={classes.quiet}> on {device.host.name}</span>}
        {device.name !== null && device.path !== null && (
          <span className={classes.quiet}> {device.path}</span>
        )}
        {device.serial !== null && <span className={classes.quiet}> {device.serial}</span>}
      </span>
      <span className={classes.state}>
        <StateMark tone={toneOf[device.state]}>{device.state}</StateMark>
        <HealthMark device={device} />
        {device.state_reason !== null && <span className={classes.quiet}>{device.state_reason}</span>}
      </span>
      <DeviceFacts device={device} />
    </li>
  );
}

export function AttachedDevices({ devices }: { devices: readonly Device[] }) {
  const isOneOfMany = new Set(devices.map(({ host }) => host.id)).size > 1;
  return (
    <ul className={classes.rows}>
      {devices.map((device) => (
        <Row key={device.id} device={device} isOneOfMany={isOneOfMany} />
      ))}
    </ul>
  );
}
