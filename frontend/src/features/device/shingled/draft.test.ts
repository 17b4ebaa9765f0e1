// @vitest-environment jsdom
import { expect, test } from "vitest";
import { Refusal, type DiskModel } from "../../../api/client";
import { problemsOf, refusedFields, requestOf, usualDraft, type Draft } from "./draft";
import { wordsOf } from "./words";

const GIB = 2 ** 30;
const MIB = 2 ** 20;
const model: DiskModel = {
  name: "small",
  label: "Small disk",
  description: "",
  kind: "rotating",
  capacity_bytes: 74 * GIB,
  member_bytes: 74 * GIB,
};
const append = { shingling: "strict-append" } as const;

test.each<[Partial<Draft>, object]>([
  [{}, {}],
  [append, {}],
  [{ size: "63 MiB" }, { size: "At least 64 MiB" }],
  [{ size: "64 MiB" }, {}],
  [{ size: "large" }, { size: "A size, such as 4 GiB" }],
  [{ size: "2 PiB" }, { size: "At most 1 PiB" }],
  [
    { size: "80", model: "small" },
    { size: "The modelled disk has 74 GiB: choose no more, or another model" },
  ],
  [{ did_blocks: null }, { did_blocks: "A whole number from 0 to 1,048,576" }],
  [{ dnor_blocks: 17 }, { dnor_blocks: "At most the DID, 16 blocks" }],
  [{ dnor_blocks: 16 }, {}],
  [{ ...append, dnor_blocks: 17 }, {}],
  [{ ...append, band: "1,5 MiB" }, { band: "A whole number of MiB, at least 1 MiB" }],
  [{ ...append, band: "wide" }, { band: "A size, such as 64 MiB" }],
  [
    { ...append, size: "144 MiB" },
    { band: "Two bands do not fit: 128 MiB are left behind the metadata partition" },
  ],
  [{ ...append, size: "145 MiB" }, {}],
  [{ size: "64 MiB", band: "64 MiB" }, {}],
])("what is wrong with %j", (part, problems) => {
  expect(problemsOf({ ...usualDraft, ...part }, [model])).toEqual(problems);
});

test("a draft becomes a request of its interface alone", () => {
  expect(requestOf(usualDraft)).toMatchObject({
    size_bytes: 4 * GIB,
    shingle: { interface: "caveat", did_blocks: 16, dnor_blocks: 0, policy: "best" },
    emulation: null,
  });
  expect(requestOf({ ...usualDraft, ...append, band: "8", model: "small" })).toMatchObject({
    shingle: { interface: "strict-append", did_blocks: 16, band_bytes: 8 * MIB, clean: "greedy" },
    emulation: { model: "small", keeps_all: true },
  });
});

test("a refusal is shown at its field", () => {
  const small = new Refusal("shingled_disk_too_small", 422, "Too small", "Two bands need more.");
  expect(refusedFields(small)).toEqual({ size: "Two bands need more." });
  expect(refusedFields(new Refusal("host_lost", 409, "This host is silent", "Host a is silent."))).toBeNull();
});

test("one line says what a disk is", () => {
  expect(wordsOf({ interface: "caveat", did_blocks: 16, dnor_blocks: 0, policy: "best" })).toBe(
    "Caveat-Scriptor, DID 16, DNOR 0, policy best",
  );
  expect(wordsOf({ interface: "strict-append", did_blocks: 8, band_bytes: 64 * MIB, clean: "greedy" })).toBe(
    "Strict append, DID 8, bands of 64 MiB, cleaner greedy",
  );
});
