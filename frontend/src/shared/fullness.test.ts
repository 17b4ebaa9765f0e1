// The figures of how full a file system is.
import { expect, test } from "vitest";
import { fullnessNote, headlineOf, metadataOf } from "./fullness";

const measured = { fullness: 0.7, fullness_statfs: 0.76 };
const simulated = { fullness: 0.7, fullness_statfs: null };

test("what the file system reports is the headline, with the files beside it", () => {
  expect(headlineOf(measured)).toBe(0.76);
  expect(fullnessNote(measured, { value: 0.7, of: "files" })).toBe("files 70\u00a0%, target 70\u00a0%");
  expect(metadataOf(measured, 100 * 2 ** 20)?.text).toBe("6 MiB");
});

test("a target of all that is used stands beside the headline, before the files", () => {
  expect(fullnessNote(measured, { value: 0.76, of: "statfs" })).toBe("target 76\u00a0%, files 70\u00a0%");
});

test("a simulation has the model's alone", () => {
  expect(headlineOf(simulated)).toBe(0.7);
  expect(fullnessNote(simulated, { value: 0.7, of: "files" })).toBe("by the model, target 70\u00a0%");
  expect(metadataOf(simulated, 1)).toBeNull();
});
