// The facts of a device as its worker reads them, for a check before the device is written to.
import type { Device, DiskHealth } from "../../api/client";
import { bytes, count, formatBytes, formatCount, formatTime } from "../../shared/units";
import classes from "./DeviceFacts.module.css";

function healthRows(health: DiskHealth | null): (readonly [string, string | null])[] {
  if (health === null) return [];
  const number = (value: number | null) => (value === null ? null : formatCount(count(value)).text);
  return [
    ["Health", health.has_passed === null ? null : health.has_passed ? "passed" : "failing"],
    [
      "Temperature",
      health.temperature_celsius === null ? null : `${Math.round(health.temperature_celsius)} °C`,
    ],
    ["Powered on", health.power_on_hours === null ? null : `${number(health.power_on_hours)} hours`],
    ["Endurance used", health.used_percent === null ? null : `${health.used_percent} %`],
    ["Media errors", number(health.media_errors_count)],
    ["Reallocated", number(health.reallocated_sectors_count)],
    ["Pending", number(health.pending_sectors_count)],
  ];
}

type Facts = NonNullable<Device["facts"]>;

function rowsOf(device: Device, facts: Facts): readonly (readonly [string, string])[] {
  const sectors = [facts.logical_sector_bytes, facts.physical_sector_bytes].map(
    (size) => formatBytes(bytes(size)).text,
  );
  const rows: (readonly [string, string | null])[] = [
    ["Stable id", device.stable_id],
    ["Serial", device.serial],
    ["WWN", facts.wwn],
    ["Size", `${device.size_bytes} bytes`],
    ["Sectors", `${sectors[0]} logical, ${sectors[1]} physical`],
    ["Transport", facts.transport],
    ["Medium", device.is_rotational ? "rotational" : "not rotational"],
    ["Discard", facts.can_discard ? "supported" : "not supported"],
    ["Writable", facts.is_read_only ? "no, read-only" : "yes"],
    ["Mounted at", facts.mounted_at.join(", ") || null],
    ["Swap", facts.is_swap ? "in use as swap" : null],
    ["Holders", facts.holders.join(", ") || null],
    ...healthRows(facts.health ?? null),
    ["Seen", device.seen_at === null ? null : formatTime(device.seen_at).text],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== null);
}

function Partitions({ facts }: { facts: Facts }) {
  if (facts.partitions.length === 0) return null;
  return (
    <ul className={classes.parts} aria-label="Partitions">
      {facts.partitions.map(({ path, size_bytes, holds, mounted_at }) => (
        <li key={path}>
          <span className="mono">{path}</span>, {formatBytes(bytes(size_bytes)).text}, {holds ?? "blank"}
          {mounted_at.length > 0 && `, mounted at ${mounted_at.join(", ")}`}
        </li>
      ))}
    </ul>
  );
}

export function DeviceFacts({ device }: { device: Device }) {
  const { facts } = device;
  if (facts === null) return <p className={classes.unread}>Device details: not read yet</p>; // keeps their place
  return (
    <details className={classes.facts}>
      <summary>Device details</summary>
      <dl>
        {rowsOf(device, facts).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Partitions facts={facts} />
    </details>
  );
}
