import { expect, test } from "vitest";
import { GIB, MIB, sizeOf, unitOf } from "./sandboxSize";

test.each([
  ["256", "MiB", 256 * MIB],
  ["1.5", "GiB", 1.5 * GIB],
  ["300 MiB", "GiB", 300 * MIB],
  ["300M", "GiB", 300 * MIB],
  ["2g", "MiB", 2 * GIB],
  ["0", "GiB", 0],
  ["", "GiB", null],
  ["much", "GiB", null],
  ["50 %", "GiB", null],
] as const)("%j with the unit %s is %s bytes", (text, unit, size) => {
  expect(sizeOf(text, unit)).toBe(size);
});

test("a typed unit is taken", () => {
  expect(["300", "300 MiB", "300m", "2 GiB", "MiB"].map(unitOf)).toEqual([null, "MiB", "MiB", "GiB", null]);
});
