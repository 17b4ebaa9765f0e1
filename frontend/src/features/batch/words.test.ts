import { expect, test } from "vitest";
import type { Batch } from "../../api/client";
import { sharedBy } from "./words";

const batch = (...notes: string[]) =>
  ({ runs: notes.map((note) => ({ note, name: "" })) }) as unknown as Batch;

test("a batch has the note that all its runs have", () => {
  expect(sharedBy(batch("fan off", "fan off"), "note")).toBe("fan off");
  expect(sharedBy(batch("fan off", "bay 3"), "note")).toBe("");
  expect(sharedBy(batch("fan off"), "name")).toBe("");
  expect(sharedBy(batch(), "note")).toBe("");
});
