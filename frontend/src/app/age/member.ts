// Pure: the devices of a batch that is being put together, each with what was chosen and typed for it.
import type { BatchCreate, Device, FileSystem } from "../../api/client";
import { isConfirmed } from "../../features/device/Confirmation";
import { capacityOf, whyRefused } from "../../features/device/words";

export interface Member {
  device: Device;
  file_system: FileSystem;
  typed: string;
}

export function memberOf(device: Device, file_system: FileSystem): Member {
  return { device, file_system, typed: "" };
}

/** Why images in that capture mode are refused, of the first member of which they are. */
export function whyRefusedOf(members: readonly Member[], mode: string): string | null {
  const reasons = members.map(({ device, file_system }) => whyRefused(device, file_system, mode));
  return reasons.find((why) => why !== null) ?? null;
}

/** What is still to be typed, device by device. */
export function unconfirmedOf(members: readonly Member[]): Member[] {
  return members.filter(({ device, typed }) => !isConfirmed(device, typed));
}

export function membersCreate(members: readonly Member[]): BatchCreate["members"] {
  return members.map(({ device, file_system, typed }) => ({
    device_id: device.id,
    file_system,
    confirmation: {
      stable_id: device.stable_id,
      size_bytes: device.size_bytes,
      typed: typed === "" ? null : typed,
    },
  }));
}

/** One of each capacity: what a profile needs differs by nothing else. */
export function byCapacity(members: readonly Member[]): Member[] {
  const found = new Map<number, Member>();
  for (const member of members) {
    const capacity = capacityOf(member.device, member.file_system);
    if (!found.has(capacity)) found.set(capacity, member);
  }
  return [...found.values()];
}
