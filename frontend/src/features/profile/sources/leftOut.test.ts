// What a scan says about the ages that it counted.
import { expect, test } from "vitest";
import type { ScanSummary } from "../../../api/client";
import { readFileSync } from "node:fs";
import { agesOf } from "./leftOut";

const lines = readFileSync("../native/contract/scan.jsonl", "utf8").trim().split("\n");
const scanned = JSON.parse(lines.at(-1) ?? "") as ScanSummary;

function withAges(weights: readonly number[], time_source: ScanSummary["time_source"]): ScanSummary {
  const age = weights.map((weight, index) => ({ age: 10 ** (index + 1), weight }));
  return { ...scanned, time_source, profile: { ...scanned.profile, age } };
}

test("the source of the ages is named, and not more where they differ", () => {
  expect(agesOf(withAges([1, 1, 1], "creation"))).toBe("Ages count from the creation times of the files.");
  expect(agesOf(withAges([1, 1], "modification"))).toMatch(/^Ages count from the last modification/);
});

test("a bin with nearly all files is warned of", () => {
  expect(agesOf(withAges([0, 95, 5], "creation"))).toContain("One age bin has 95 % of the files");
});
