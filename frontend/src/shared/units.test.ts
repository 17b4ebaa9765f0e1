// The format of quantities on the page.
import { expect, test } from "vitest";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatDurationRange,
  formatEdge,
  formatFraction,
  formatLatency,
  formatOpsPerSecond,
  formatTime,
  fraction,
  opsPerSecond,
  parseBytes,
  parseNumber,
  seconds,
  shortened,
} from "./units";

test.each([
  [0, "0 B"],
  [512, "512 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1_000_000, "977 KiB"],
  [2 ** 30, "1 GiB"],
  [2 ** 30 - 1, "1.00 GiB"],
  [3_208_546, "3.06 MiB"],
  [54_000_000_000_000, "49.1 TiB"],
])("%d bytes are %s, exactly on hover", (value, text) => {
  const formatted = formatBytes(bytes(value));
  expect(formatted.text).toBe(text);
  expect(formatted.exact).toBe(`${value.toLocaleString("en-GB")} bytes`);
});

test.each([
  [0, "0"],
  [7, "7"],
  [999, "999"],
  [999.9, "1.00 k"],
  [6_491, "6.49 k"],
  [499_285, "499 k"],
  [999_999, "1.00 M"],
  [49_200_000, "49.2 M"],
  [28.6, "28.6"],
])("a count of %d is %s", (value, text) => {
  expect(formatCount(count(value)).text).toBe(text);
});

test.each([
  [0, "0 %"],
  [0.7, "70 %"],
  [0.7023, "70.2 %"],
  [1, "100 %"],
  [0.000044, "0.00440 %"],
  [0.29, "29 %"],
])("the fraction %d is %s", (value, text) => {
  expect(formatFraction(fraction(value)).text).toBe(text);
});

test.each([
  [0, "0 s"],
  [0.791, "0.791 s"],
  [26.88, "26.9 s"],
  [59.97, "1 min 0 s"],
  [192, "3 min 12 s"],
  [3_600, "1 h"],
  [90_061, "1 d 1 h"],
  [86_400, "1 d"],
])("%d seconds are %s", (value, text) => {
  expect(formatDuration(seconds(value)).text).toBe(text);
});

test("a pace has its unit", () => {
  expect(formatOpsPerSecond(opsPerSecond(18_600)).text).toBe("18.6 k/s");
});

test("today's times are clock times, other days are named, the zone is on hover", () => {
  const now = new Date(2026, 10, 20, 15, 0, 0);
  expect(formatTime(new Date(2026, 10, 20, 14, 5, 9).toISOString(), now).text).toBe("14:05:09");
  const earlier = formatTime(new Date(2026, 10, 18, 14, 5, 9).toISOString(), now);
  expect(earlier.text).toBe("18 Nov, 14:05");
  expect(earlier.exact).toMatch(/18 Nov 2026.*14:05:09 \S+/);
});

test("an axis drops zeros that say nothing and keeps those that do", () => {
  expect(shortened({ text: "0.0100 %", exact: "" })).toBe("0.01 %");
  expect(shortened({ text: "1.00 k", exact: "" })).toBe("1 k");
  expect(shortened({ text: "100 %", exact: "" })).toBe("100 %");
  expect(shortened({ text: "20 k/s", exact: "" })).toBe("20 k/s");
});

test("an edge is said in its histogram's own unit", () => {
  expect(formatEdge("size", 2_048)).toBe("2 KiB");
  expect(formatEdge("depth", 3)).toBe("3");
  expect(formatEdge("age", 1_946)).toBe("1.95 k");
});

test.each([
  ["4096", 4096],
  ["4 KiB", 4096],
  ["1.5g", 1.5 * 2 ** 30],
  ["0,5 MB", 2 ** 19],
  ["12 B", 12],
  ["1 TiB", 2 ** 40],
])("%s is typed for %d bytes", (text, value) => {
  expect(parseBytes(text)).toBe(value);
});

test.each(["", "a lot", "-4", "4 XiB", "1e9999"])("%j is no number of bytes", (text) => {
  expect(parseBytes(text)).toBeNull();
});

test.each([
  ["12.5", 12.5],
  ["12,5 %", 12.5],
  ["1e3", 1000],
  [".5", 0.5],
  ["", null],
  ["-1", null],
  ["e5", null],
  ["1e999", null],
  ["NaN", null],
])("%j is typed for %s", (text, value) => {
  expect(parseNumber(text)).toBe(value);
});

test.each([
  [162, 252, "2 to 5 min"],
  [66.2, 71.8, "66 to 72 s"],
  [2.11, 2.34, "2.1 to 2.4 s"],
  [94, 101, "1.5 to 1.7 min"],
  [5_000, 12_000, "1 to 4 h"],
  [200_000, 201_000, "2.3 to 2.4 d"],
  [180, 180, "3 min"],
])("a range of %s to %s s reads %s", (low, high, text) => {
  expect(formatDurationRange(seconds(low), seconds(high)).text).toBe(text);
});

test.each([
  [0, "0 s"],
  [5e-10, "0.500 ns"],
  [1e-6, "1 µs"],
  [999.6e-6, "1.00 ms"],
  [0.0125, "12.5 ms"],
  [3.14159, "3.14 s"],
])("formats the latency %s s", (value, text) => {
  expect(formatLatency(seconds(value)).text).toBe(text);
});
