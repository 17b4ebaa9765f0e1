// What a device is called in texts.
import type { Device } from "../api/client";

type Named = Pick<Device, "name" | "path" | "stable_id">;

/** Returns what a device is called: the name that a user gave it, else its path, else its stable id. */
export function nameOf({ name, path, stable_id }: Named): string {
  return name ?? path ?? stable_id;
}

/** Returns the name with the path: bench (/dev/loop8). */
export function nameAndPathOf(device: Named): string {
  const [name, path] = [nameOf(device), pathOf(device)];
  return name === path ? path : `${name} (${path})`;
}

/** Returns where a device is: the word to type, or to write in a command. */
export function pathOf({ path, stable_id }: Pick<Device, "path" | "stable_id">): string {
  return path ?? stable_id;
}

/** Reports whether it is an emulated disk that drops the data of files, and generates it when it is read. */
export function dropsData({ emulation }: Pick<Device, "emulation">): boolean {
  return emulation !== null && !emulation.keeps_all;
}
