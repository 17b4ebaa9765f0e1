// Pure: the members of a batch before its start, each with its choices and its typed confirmation.
import type { BatchCreate, Device, FileSystem } from "../../api/client";
import { isConfirmed } from "../../features/device/Confirmation";
import { capacityOf, whyNot, whyRefused } from "../../features/device/words";
import { nameOf } from "../../shared/device";
import { usualCapture, type BatchCapture } from "./CaptureField";
import { usualFileSystem } from "./FileSystemField";
import { problemOfImageName } from "../../shared/imageName";
import { areWhole, noOptions, type Options } from "./OptionFields";

export interface Member extends Options {
  device: Device;
  file_system: FileSystem;
  /** Empty: by the settings. */
  image_name: string;
  typed: string;
}

export function memberOf(device: Device, file_system: FileSystem): Member {
  return { device, file_system, ...noOptions, image_name: "", typed: "" };
}

/** Returns a member for each device, with different file systems while there are enough: a batch compares them. */
export function membersOf(devices: readonly Device[]): Member[] {
  const taken = new Set<FileSystem>();
  return devices.map((device) => {
    const possible = device.file_systems.filter(
      (offer) =>
        whyNot(device, offer) === null && whyRefused(device, offer.name, usualCapture(device)) === null,
    );
    const { name } = possible.find((offer) => !taken.has(offer.name)) ??
      possible[0] ?? { name: usualFileSystem };
    taken.add(name);
    return memberOf(device, name);
  });
}

/** Returns members chosen before, with their devices as they are now and no confirmation. */
export function renewedMembers(before: readonly Member[], devices: readonly Device[]): Member[] {
  return before.flatMap((member) => {
    const device = devices.find(({ id }) => id === member.device.id);
    return device === undefined ? [] : [{ ...member, device, typed: "" }];
  });
}

/** Reports whether the device needs no typed word: one sentence confirms all such. */
export function isBlank({ device }: Member): boolean {
  return isConfirmed(device, "");
}

/** Returns what is still missing of the members; null where they can be sent. */
export function missingOfMembers(members: readonly Member[]): string | null {
  for (const member of members) {
    const name = nameOf(member.device);
    if (!areWhole(member)) return `Correct the options of mkfs and mount on ${name}`;
    if (problemOfImageName(member.image_name) !== null) return `Correct the name of the image of ${name}`;
  }
  const names = unconfirmedOf(members).map(({ device }) => nameOf(device));
  return names.length === 0
    ? null
    : `Confirm that ${names.join(", ")} ${names.length === 1 ? "is" : "are"} destroyed`;
}

/** Returns why images in that capture mode are refused, for the first member that refuses them. */
export function whyRefusedOf(members: readonly Member[], mode: BatchCapture): string | null {
  const reasons = members.map(({ device, file_system }) =>
    whyRefused(device, file_system, mode === "usual" ? usualCapture(device) : mode),
  );
  return reasons.find((why) => why !== null) ?? null;
}

/** Returns the members whose confirmation is still to be typed. */
export function unconfirmedOf(members: readonly Member[]): Member[] {
  return members.filter(({ device, typed }) => !isConfirmed(device, typed));
}

export function membersCreate(members: readonly Member[]): BatchCreate["members"] {
  return members.map(
    ({ device, file_system, added_mkfs_options, added_mount_options, image_name, typed }) => ({
      device_id: device.id,
      file_system,
      added_mkfs_options,
      added_mount_options,
      image_name: image_name === "" ? null : image_name,
      confirmation: {
        stable_id: device.stable_id,
        size_bytes: device.size_bytes,
        typed: typed === "" ? null : typed,
      },
    }),
  );
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
