import { expect, test } from "vitest";
import { capacityOf, modelledOf, modelledProblems, usualModelled } from "./modelled";

const model = { capacity_bytes: 1000, member_bytes: 900 };

test.each([
  ["none", 1000],
  ["raid0", 3600],
  ["raid1", 1000],
  ["raid5", 2700],
] as const)("%s of 4 disks has %s bytes", (raid, capacity) => {
  expect(capacityOf({ raid, disks_count: 4 }, model)).toBe(capacity);
});

test.each([
  [{ raid: "raid5", disks_count: 2 }, { disks_count: "From 3 to 64 disks" }],
  [{ raid: "raid1", disks_count: null }, { disks_count: "From 2 to 64 disks" }],
  [{ raid: "raid0", disks_count: 65 }, { disks_count: "From 2 to 64 disks" }],
  [{ raid: "none", disks_count: null }, {}],
  [{ stretches: true, pieces_count: 1 }, { pieces_count: "From 2 to 16384 pieces" }],
  [{ stretches: false, pieces_count: null }, {}],
] as const)("the draft %j has the problems %j", (changed, problems) => {
  expect(modelledProblems({ ...usualModelled, ...changed })).toEqual(problems);
});

test("the request has what is chosen, and nothing of what is not", () => {
  expect(modelledOf(usualModelled)).toEqual({ raid: null, stretch_pieces_count: null });
  expect(modelledOf({ raid: "raid5", disks_count: 4, stretches: true, pieces_count: 8 })).toEqual({
    raid: { level: 5, disks_count: 4 },
    stretch_pieces_count: 8,
  });
});
