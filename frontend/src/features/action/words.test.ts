import { expect, test } from "vitest";
import { sentenceOf, trafficOf } from "./words";

test("a message becomes a sentence once", () => {
  expect(["Aging", "Unmount it.", "Waiting…", ""].map(sentenceOf)).toEqual([
    "Aging.",
    "Unmount it.",
    "Waiting…",
    "",
  ]);
});

test("traffic that was measured before the job began is not the job's", () => {
  const traffic = {
    read_bytes_per_s: 1,
    written_bytes_per_s: 2,
    busy_fraction: 0.5,
    measured_at: "2026-11-27T12:00:05Z",
  };
  const since = (acquired_at: string) => ({ holder: "trace 3", acquired_at, expires_at: null });
  expect(trafficOf({ traffic, active_lease: since("2026-11-27T12:00:04Z") })).toBe(traffic);
  expect(trafficOf({ traffic, active_lease: since("2026-11-27T12:00:06Z") })).toBeNull();
  expect(trafficOf({ traffic, active_lease: null })).toBeNull();
});
