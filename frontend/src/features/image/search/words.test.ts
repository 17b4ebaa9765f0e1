import { describe, expect, it } from "vitest";
import { isNarrowed, labelOf, searchOf, shownFacets, toggled } from "./words";

describe("a search of the catalog in the address", () => {
  it("is read back as it was written", () => {
    const search = { q: "agrawal 70", file_system: ["ext4", ""], sort: "name" as const };
    expect(searchOf(search)).toEqual(search);
  });
  it("may have a single value, and a number in place of a text", () => {
    expect(searchOf({ q: 70, file_system: "xfs", kernel: [6.1, "6.18"] })).toEqual({
      q: "70",
      file_system: ["xfs"],
      kernel: ["6.1", "6.18"],
    });
  });
  it("lacks what is not of a search, and what is usual", () => {
    expect(searchOf({ q: "", sort: "newest", file_system: [], origin: { aged: 1 }, activity: 3 })).toEqual(
      {},
    );
    expect(searchOf({ sort: "toString" })).toEqual({});
  });
  it("gains a value by one choice and loses it by the next", () => {
    const chosen = toggled({ q: "a" }, "profile", "meyer");
    expect(chosen).toEqual({ q: "a", profile: ["meyer"] });
    expect(toggled(chosen, "profile", "agrawal")).toEqual({ q: "a", profile: ["meyer", "agrawal"] });
    expect(toggled(chosen, "profile", "meyer")).toEqual({ q: "a" });
  });
  it("leaves images out by words or a chosen value, not by its order", () => {
    expect(isNarrowed({})).toBe(false);
    expect(isNarrowed(searchOf({ sort: "name" }))).toBe(false);
    expect(isNarrowed({ q: "a" })).toBe(true);
    expect(isNarrowed({ origin: ["aged"] })).toBe(true);
  });
  it("shows the facets by which images differ, and a chosen value that no image has any longer", () => {
    const one = [{ value: "ext4", images_count: 2 }];
    const facets = [
      { name: "file_system", values: one },
      { name: "origin", values: [...one, { value: "xfs", images_count: 1 }] },
    ];
    const found = { images_count: 2, facets };
    expect(shownFacets({}, found).map(({ name }) => name)).toEqual(["origin"]);
    expect(shownFacets({ file_system: ["zfs"] }, found)[0]).toEqual({
      name: "file_system",
      values: [...one, { value: "zfs", images_count: 0 }],
    });
    expect(shownFacets({}, undefined)).toEqual([]);
  });
  it("names values in words, also those that have none", () => {
    expect(labelOf("size_bytes", "1073741824")).toBe("1 GiB");
    expect(labelOf("workload", "replay")).toBe("Replay of a run");
    expect(labelOf("origin", "trial")).toBe("After a trial");
    expect(labelOf("kernel", "")).toBe("None or unknown");
  });
});
