// Texts for devices.
import type { Device } from "../../api/client";
import type { Tone } from "../../shared/ui/StateMark";
import { bytes, formatBytes } from "../../shared/units";

/** Returns the estimated capacity of a file system on the device. */
export function capacityOf(device: Device, file_system: string): number {
  const offer = device.file_systems.find(({ name }) => name === file_system);
  return offer?.capacity_estimate_bytes ?? device.size_bytes;
}

/** Returns why the device cannot be aged with that file system; null where it can. */
export function whyNot(
  { size_bytes }: Device,
  { why_missing, least_device_bytes }: Device["file_systems"][number],
): string | null {
  if (why_missing !== null) return why_missing;
  return size_bytes < least_device_bytes ? `from ${formatBytes(bytes(least_device_bytes)).text}` : null;
}

/** Returns why an image in that capture mode is refused; null where it is not. */
export function whyRefused(device: Device, file_system: string, mode: string): string | null {
  const offer = device.file_systems.find(({ name }) => name === file_system);
  return offer?.refused_captures[mode] ?? null;
}

/** Returns who may use the device. */
export function usersOf({ users, users_team_name }: Device): string {
  if (users === "team") return `Team ${users_team_name} may use it`;
  return users === "operators" ? "Operators alone may use it" : "Every member may use it";
}

function sortOf({ emulation, shingle }: Device): string {
  if (shingle !== null) return emulation === null ? "shingled disk" : "emulated shingled disk";
  return emulation === null ? "sandbox" : "emulated disk";
}

/** Returns the kind and size, and the path of a device that has a name: /dev/loop7, sandbox in a file, 1 GiB. */
export function kindOf(device: Device): string {
  const size = formatBytes(bytes(device.size_bytes)).text;
  const path = device.name === null || device.path === null ? "" : `${device.path}, `;
  if (device.kind === "sandbox")
    return `${path}${sortOf(device)} in ${device.medium === "memory" ? "memory" : "a file"}, ${size}`;
  return `${path}${device.model ?? "unknown model"}, ${size}`;
}

export const toneOf: Record<Device["state"], Tone> = {
  creating: "waiting",
  available: "good",
  busy: "live",
  protected: "locked",
  removing: "waiting",
  removed: "locked",
  lost: "bad",
  failed: "bad",
};
