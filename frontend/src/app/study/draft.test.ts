import { describe, expect, it } from "vitest";
import offered from "../../api/studies.json";
import { cellsCount, draftLike, firstDraft, lackOf, numbersOf, plans, requestOf } from "./draft";
import type { Study } from "../../api/client";

const draftOf = (name: string) => plans.find((plan) => plan.name === name)?.draft ?? firstDraft;

describe("a ready-made plan", () => {
  it("makes the request that the server has for it", () => {
    for (const { settings, title } of offered.plans) {
      const plan = plans.find((each) => each.title === title);
      expect(plan).toBeDefined();
      const draft = plan?.draft ?? firstDraft;
      expect(lackOf(draft)).toBeNull();
      expect(requestOf(draft)).toEqual({ settings, host_name: null, name: title, note: "" });
    }
  });
  it("says how many cells it has", () => {
    expect(plans.map(({ draft }) => cellsCount(draft))).toEqual([10, 8, 42, 49]);
  });
});

it("is like an earlier study, on its host", () => {
  const earlier = {
    settings: offered.plans[2]?.settings,
    name: "Mine",
    host: { name: "lab" },
  } as unknown as Study;
  expect(draftLike(earlier)).toEqual({ ...draftOf("cleaning"), name: "Mine", host_name: "lab" });
});

it("keeps a size that has no round text", () => {
  const settings = { ...offered.plans[0]?.settings, usable_bytes: 123_456_789 };
  const { size } = draftLike({ settings, name: "", host: { name: "lab" } } as unknown as Study);
  expect(size).toBe("123456789");
});

it("reads lists as they are typed", () => {
  expect(numbersOf("16, 512;1024  7")).toEqual([16, 512, 1024, 7]);
  expect(numbersOf("")).toBeNull();
  expect(numbersOf("16, many")).toBeNull();
});

describe("what it lacks", () => {
  const capacity = draftOf("capacity");
  const cleaning = draftOf("cleaning");
  it.each([
    [{ policies: [] }, "Choose a policy."],
    [{ dids: "" }, /^Give DIDs as whole numbers/],
    [{ dids: "16.5" }, /^Give DIDs as whole numbers/],
    [{ dids: "16, 16" }, "The same DID is named twice."],
    [{ dids: "16, 512", dnor: 17 }, "DNOR is at most the least DID."],
    [{ size: "large" }, /^Give the size of all files as a size/],
    [{ size: "1 TiB" }, /^The size of all files is from 1 MiB to 16 GiB/],
    [
      { dids: Array.from({ length: 21 }, (_, index) => index).join(), seeds: 100 },
      /^A study has at most 10,000/,
    ],
  ])("capacity with %o", (changes, said) => {
    expect(lackOf({ ...capacity, ...changes })).toMatch(said);
  });
  it.each([
    [{ policies: [], cleaners: [] }, "Choose a policy or a cleaner."],
    [{ fullnesses: "0" }, /^Give fullnesses in percent/],
    [{ fullnesses: "50, 101" }, /^Give fullnesses in percent/],
    [{ fullnesses: "50, 50" }, "The same fullness is named twice."],
    [{ band: "wide" }, /^Give the band as a size/],
  ])("cleaning with %o", (changes, said) => {
    expect(lackOf({ ...cleaning, ...changes })).toMatch(said);
  });
});
