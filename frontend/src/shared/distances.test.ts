// The measurements shown for a mode before it is chosen.
import { expect, test } from "vitest";
import { distanceOf, priceOf } from "./distances";

test("the default of every file system states its distance and its price", () => {
  for (const name of ["ext4", "xfs", "btrfs"]) {
    expect(distanceOf(name, "faithful")).toMatch(/^against Reference at most [\d.]+ % in free extents/);
    expect(priceOf(name, "faithful")).toMatch(/^takes [\d.]+ times as long as fast tools$/);
  }
});

test("the reference has no distance to itself, and nothing is said of what was not measured", () => {
  expect(distanceOf("ext4", "reference")).toBeNull();
  expect(priceOf("ext4", "reference")).not.toBeNull();
  expect(priceOf("ext4", "unbounded")).toBeNull();
  expect(distanceOf("f2fs", "faithful")).toBeNull();
});
