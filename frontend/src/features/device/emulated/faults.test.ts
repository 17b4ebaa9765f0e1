import { expect, test } from "vitest";
import type { HostMark } from "../../../api/client";
import {
  canEnd,
  faultKinds,
  faultOf,
  faultProblems,
  inForce,
  usualFault,
  whyNoFault,
  whyWait,
  type FaultKind,
} from "./faults";

const device = { size_bytes: 16 * 2 ** 30 };
const usual = usualFault(device);
const kinds = Object.keys(faultKinds) as FaultKind[];

test.each(kinds)("a %s begins without problems, and its request is its own", (kind) => {
  const draft = { ...usual, kind };
  expect(faultProblems(draft, device)).toEqual({});
  expect(faultOf(draft).kind).toBe(kind);
});

test("only what loses data for good wants a confirmation", () => {
  const asked = kinds.filter((kind) => faultKinds[kind].confirmation !== null);
  expect(asked).toEqual(["power_cut", "disappears"]);
});

test.each([
  ["read_error", { first: "16 GiB" }, "first"],
  ["read_error", { first: "there" }, "first"],
  ["write_error", { length: "0" }, "length"],
  ["write_error", { first: "16383 MiB", length: "2 MiB" }, "length"],
  ["ends_early", { size: "17 GiB" }, "size"],
  ["ends_early", { size: "" }, "size"],
  ["slow", { delay_ms: null }, "delay_ms"],
  ["power_cut", { lost: "random", seed: null }, "seed"],
] as const)("a %s with %j is refused at the field %s", (kind, part, field) => {
  expect(Object.keys(faultProblems({ ...usual, kind, ...part }, device))).toEqual([field]);
});

test("a range is sent in bytes", () => {
  const draft = { ...usual, kind: "write_error", first: "1 GiB", length: "4 KiB" } as const;
  expect(faultOf(draft)).toEqual({ kind: "write_error", first_byte: 2 ** 30, length_bytes: 4096 });
});

test.each([
  [{ kind: "read_error", first_byte: 2 ** 30, length_bytes: 4096 }, "Reads of 4 KiB from 1 GiB on fail"],
  [{ kind: "slow", delay_ms: 250 }, "Slow: requests take 250 ms longer"],
  [{ kind: "ends_early", size_bytes: 2 ** 30 }, "It ends early, at 1 GiB"],
  [{ kind: "of a later version" }, "Fault: of a later version"],
])("%j reads %j", (fault, words) => {
  expect(inForce(fault)).toBe(words);
});

test("all faults end on command but a power cut", () => {
  expect(kinds.filter((kind) => !canEnd({ kind }))).toEqual(["power_cut"]);
});

test("a fault can be made only on a disk that is there, one at a time", () => {
  const host = { name: "a", is_healthy: true } as HostMark;
  expect(whyNoFault({ state: "available", host })).toBeNull();
  expect(whyNoFault({ state: "busy", host })).toBeNull();
  expect(whyNoFault({ state: "creating", host })).toBe("The disk is creating");
  expect(whyNoFault({ state: "busy", host: { ...host, is_healthy: false } })).toBe("Host a is silent");
  const fault = { fault: { kind: "none" }, asked_at: "", done_at: null, error: null } as const;
  expect(whyWait({ fault })).toBe("Wait: the end of all faults is being sent");
  expect(whyWait({ fault: { ...fault, done_at: "2026-11-27T10:00:00Z" } })).toBeNull();
  expect(whyWait({ fault: null })).toBeNull();
});
