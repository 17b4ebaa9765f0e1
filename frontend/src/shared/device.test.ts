import { expect, test } from "vitest";
import { nameAndPathOf, nameOf, pathOf } from "./device";

test("a device is called by its name, else its path, else its stable id", () => {
  const device = { name: "mail server", path: "/dev/loop7", stable_id: "sandbox-1" };
  expect([nameOf(device), pathOf(device)]).toEqual(["mail server", "/dev/loop7"]);
  expect(nameOf({ ...device, name: null })).toBe("/dev/loop7");
  const unattached = { ...device, name: null, path: null };
  expect([nameOf(unattached), pathOf(unattached)]).toEqual(["sandbox-1", "sandbox-1"]);
});

test("a warning names a device with its path", () => {
  const device = { name: "bench", path: "/dev/loop8", stable_id: "sandbox-8" };
  expect(nameAndPathOf(device)).toBe("bench (/dev/loop8)");
  expect(nameAndPathOf({ ...device, name: null })).toBe("/dev/loop8");
});
