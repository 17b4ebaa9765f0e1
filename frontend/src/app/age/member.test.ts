import { expect, test } from "vitest";
import type { Device } from "../../api/client";
import { usualCapture, usualCaptureOf } from "./CaptureField";
import {
  byCapacity,
  memberOf,
  membersCreate,
  membersOf,
  missingOfMembers,
  renewedMembers,
  unconfirmedOf,
  whyRefusedOf,
} from "./member";

function device(id: number, change: Partial<Device> = {}): Device {
  return {
    id,
    kind: "sandbox",
    medium: "file",
    host: { id: 1, name: "local" } as Device["host"],
    name: null,
    traffic: null,
    emulation: null,
    shingle: null,
    emulated: null,
    fault: null,
    stable_id: `sandbox-${id}`,
    path: `/dev/loop${id}`,
    model: null,
    serial: null,
    size_bytes: 2 ** 30,
    file_systems: [
      {
        name: "ext4",
        capacity_estimate_bytes: 10 ** 9,
        least_device_bytes: 10 ** 6,
        why_missing: null,
        refused_captures: {},
      },
      {
        name: "xfs",
        capacity_estimate_bytes: 9 * 10 ** 8,
        least_device_bytes: 10 ** 6,
        why_missing: null,
        refused_captures: {},
      },
      {
        name: "btrfs",
        capacity_estimate_bytes: 10 ** 9,
        least_device_bytes: 10 ** 6,
        why_missing: null,
        refused_captures: { metadata: "No." },
      },
    ],
    fits_in_memory: false,
    is_rotational: false,
    holds: null,
    state: "available",
    state_reason: null,
    active_lease: null,
    expires_at: null,
    facts: null,
    seen_at: null,
    users: "members",
    users_team_id: null,
    users_team_name: null,
    is_usable: true,
    ...change,
  };
}

test("a batch may start once every device that holds something is confirmed by its own path", () => {
  const blank = memberOf(device(1), "ext4");
  const full = memberOf(device(2, { holds: "ext4" }), "ext4");
  const busy = memberOf(device(3, { state: "busy" }), "ext4");
  const open = unconfirmedOf([blank, full, busy]);
  expect(open.map(({ device: { id } }) => id)).toEqual([2, 3]);
  const typed = [
    { ...full, typed: "/dev/loop2" },
    { ...busy, typed: "/dev/loop2" },
  ];
  expect(unconfirmedOf(typed).map(({ device: { id } }) => id)).toEqual([3]);
  expect(missingOfMembers([blank, full, busy])).toBe("Confirm that /dev/loop2, /dev/loop3 are destroyed");
  expect(missingOfMembers([blank, { ...full, typed: "/dev/loop2" }])).toBeNull();
});

test("the members have different file systems while there are enough that are possible", () => {
  const names = membersOf([device(1), device(2), device(3), device(4)]).map(({ file_system }) => file_system);
  expect(names).toEqual(["ext4", "xfs", "btrfs", "ext4"]);
  expect(membersOf([device(1), device(2, { size_bytes: 10 ** 5 })])[1]?.file_system).toBe("ext4");
});

test("each member is sent with what was confirmed of it", () => {
  const options = { added_mkfs_options: "-i 8192", added_mount_options: "nodelalloc", image_name: "mine" };
  const members = [
    memberOf(device(1), "ext4"),
    { ...memberOf(device(2), "ext4"), ...options, typed: "/dev/loop2" },
  ];
  expect(membersCreate(members)).toEqual([
    {
      device_id: 1,
      file_system: "ext4",
      added_mkfs_options: "",
      added_mount_options: "",
      image_name: null,
      confirmation: { stable_id: "sandbox-1", size_bytes: 2 ** 30, typed: null },
    },
    {
      device_id: 2,
      file_system: "ext4",
      ...options,
      confirmation: { stable_id: "sandbox-2", size_bytes: 2 ** 30, typed: "/dev/loop2" },
    },
  ]);
});

test("one forecast is enough for members of one capacity", () => {
  const members = [memberOf(device(1), "ext4"), memberOf(device(2), "xfs"), memberOf(device(3), "ext4")];
  expect(byCapacity(members).map(({ device: { id } }) => id)).toEqual([1, 2]);
});

test("one member that cannot be kept without contents is enough to say why", () => {
  const ext4 = memberOf(device(1), "ext4");
  expect(whyRefusedOf([ext4, memberOf(device(2), "xfs")], "metadata")).toBeNull();
  expect(whyRefusedOf([ext4, memberOf(device(2), "btrfs")], "metadata")).toBe("No.");
});

test("the image of an emulated disk has no contents, unless it keeps all", () => {
  const emulated = (id: number, keeps_all = false) =>
    device(id, { emulation: { keeps_all } as Device["emulation"] });
  expect(usualCapture(emulated(1))).toBe("metadata");
  expect(usualCapture(emulated(1, true))).toBe("allocated");
  expect(usualCaptureOf([emulated(1), emulated(2)])).toBe("metadata");
  expect(usualCaptureOf([device(1), device(2)])).toBe("allocated");
  expect(usualCaptureOf([emulated(1), device(2)])).toBe("usual");
  expect(whyRefusedOf([memberOf(emulated(1), "ext4"), memberOf(device(2), "btrfs")], "usual")).toBeNull();
});

test("members chosen before return with their devices as they are now, and unconfirmed", () => {
  const before = { ...memberOf(device(1), "xfs"), image_name: "kept", typed: "/dev/loop1" };
  const now = { ...device(1), holds: "ext4" };
  expect(renewedMembers([before], [now])).toEqual([{ ...before, device: now, typed: "" }]);
});
