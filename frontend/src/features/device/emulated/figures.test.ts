import { expect, test } from "vitest";
import type { HostMark } from "../../../api/client";
import { disk, figures } from "./exampleDisk";
import { rowsOf, savedFraction, silentSince, whyWhole } from "./figures";

const emulated = figures;
const { emulation } = disk;
const host = { name: "a", is_healthy: true, heartbeat_at: "2026-11-27T10:00:05Z" } as HostMark;

const textsOf = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(({ label, value, note }) => [label, value.text, ...(note === undefined ? [] : [note])].join(" "));

test("the card shows the target, what is used, stored and saved, the memory and the prediction", () => {
  expect(textsOf(rowsOf({ emulation, emulated }))).toEqual([
    "Target 1 TiB as its file system sees it",
    "Used 900 MiB by its file system",
    "Stored 12 MiB on the host, of at most 4 GiB",
    "Saved 988 MiB 98.8 % of what a plain disk would store",
    "Memory 30 MiB of its emulator",
    "Predicted 1 h 12 min for 123 k requests on the modelled disk",
  ]);
});

test("in accurate time the measured error is beside the prediction", () => {
  const accurate = { ...emulated, time: "accurate", delay_error_fraction: -0.004 };
  expect(rowsOf({ emulation, emulated: accurate }).at(-1)?.note).toContain("within 0.400 % of it");
});

test("without a model nothing is predicted, and before the first report nothing is shown", () => {
  const without = { ...emulated, model: null, time: null, predicted_s: null, clock_s: null };
  const labels = rowsOf({ emulation, emulated: without }).map(({ label }) => label);
  expect(labels).not.toContain("Predicted");
  expect(rowsOf({ emulation, emulated: null })).toEqual([]);
});

test("a disk without a limit shows none", () => {
  const rows = rowsOf({ emulation, emulated: { ...emulated, available_bytes: null } });
  expect(rows.find(({ label }) => label === "Stored")?.note).toBe("on the host");
});

test("before anything is written there is no ratio", () => {
  const blank = { ...emulated, stored_bytes: 0, saved_bytes: 0, used_bytes: null };
  expect(savedFraction(blank)).toBeNull();
  expect(rowsOf({ emulation, emulated: blank }).map(({ label }) => label)).not.toContain("Used");
  expect(rowsOf({ emulation, emulated: blank }).find(({ label }) => label === "Saved")).toEqual({
    label: "Saved",
    value: { text: "0 B", exact: "0 bytes" },
  });
});

test("why everything is kept is said once something is", () => {
  const whole = { ...emulated, kept_whole_reason: "It has no file system." };
  const holds = "unrecognised content";
  expect(whyWhole({ emulated: whole, holds })).toBe("It has no file system.");
  expect(whyWhole({ emulated: { ...whole, kept_bytes: 0 }, holds })).toBeNull();
  expect(whyWhole({ emulated: { ...whole, file_system: null }, holds: null })).toBeNull();
  expect(whyWhole({ emulated: whole, holds: null })).toBe("It has no file system.");
  expect(whyWhole({ emulated: null, holds })).toBeNull();
});

test("an emulator is silent when its host reports without it", () => {
  expect(silentSince({ emulated, host })).toBeNull();
  const later = { ...host, heartbeat_at: "2026-11-27T10:01:00Z" };
  expect(silentSince({ emulated, host: later })).toBe(emulated.measured_at);
  expect(silentSince({ emulated, host: { ...later, is_healthy: false } })).toBeNull();
  expect(silentSince({ emulated: null, host: later })).toBeNull();
});

test("the data of kept paths is shown, and what was dropped before it was known", () => {
  const keeping = emulation && { ...emulation, kept_paths: ["database/**", "etc/*.conf"] };
  const shown = (lost_held_bytes: number) =>
    textsOf(
      rowsOf({ emulation: keeping, emulated: { ...emulated, chosen_bytes: 2 ** 20, lost_held_bytes } }),
    );
  expect(shown(0)).toContain("Kept as written 1 MiB of database/**, etc/*.conf");
  expect(shown(0).join()).not.toContain("too early");
  expect(shown(2 ** 21).join()).toContain("Dropped too early 2 MiB");
  expect(textsOf(rowsOf({ emulation, emulated })).join()).not.toContain("as written");
});
