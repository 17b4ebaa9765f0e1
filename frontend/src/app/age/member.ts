// Pure: the members of a batch before its start, each with its choices and its typed confirmation.
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

/** Returns why images in that capture mode are refused, for the first member that refuses them. */
export function whyRefusedOf(members: readonly Member[], mode: string): string | null {
  const reasons = members.map(({ device, file_system }) => whyRefused(device, file_system, mode));
  return reasons.find((why) => why !== null) ?? null;
}

/** Returns the members whose confirmation is still to be typed. */
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

/** Returns one member for each capacity: the needs of a profile depend on nothing else. */
export function byCapacity(members: readonly Member[]): Member[] {
  const found = new Map<number, Member>();
  for (const member of members) {
    const capacity = capacityOf(member.device, member.file_system);
    if (!found.has(capacity)) found.set(capacity, member);
  }
  return [...found.values()];
}
