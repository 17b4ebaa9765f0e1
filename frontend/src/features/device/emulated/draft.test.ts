import { expect, test } from "vitest";
import type { DiskModel } from "../../../api/client";
import { bytesOf, problemsOf, requestOf, typedOf, usualDraft, usualLimitOf } from "./draft";

const TIB = 2 ** 40;
const small: DiskModel = {
  name: "small",
  label: "Small disk",
  description: "",
  kind: "rotating",
  capacity_bytes: 80_026_361_856,
  member_bytes: 80_025_878_528,
};

test.each([
  ["1 TiB", TIB],
  ["1 PiB", 2 ** 50],
  ["16", 16 * 2 ** 30],
  ["1,5 t", 1.5 * TIB],
  ["much", null],
])("%j is a size of %s bytes", (typed, size) => {
  expect(bytesOf(typed)).toBe(size);
});

test.each([
  [TIB, "1 TiB"],
  [small.capacity_bytes, "74.5 GiB"],
  [1_000_204_886_016, "931.5 GiB"],
  [999.99 * 2 ** 30, "999.9 GiB"],
])("%s bytes are typed as %j, which is no more", (size, typed) => {
  expect(typedOf(size)).toBe(typed);
  expect(bytesOf(typed)).toBeLessThanOrEqual(size);
});

test.each([
  ["32 MiB", { size: "At least 64 MiB" }],
  ["2 PiB", { size: "At most 1 PiB" }],
  ["", { size: "A size, such as 1 TiB" }],
  ["1 PiB", {}],
])("without a model, the size %j has the problems %j", (size, problems) => {
  expect(problemsOf({ ...usualDraft, size }, [small])).toEqual(problems);
});

test("a disk is no larger than the modelled one", () => {
  const modelled = { ...usualDraft, model: "small" };
  expect(problemsOf(modelled, [small]).size).toContain("has 74.5 GiB");
  expect(problemsOf({ ...modelled, size: "74 GiB" }, [small])).toEqual({});
});

test("a RAID has the room of its disks, and a number of them that is wrong hides no other problem", () => {
  const raid = { ...usualDraft, model: "small", raid: "raid5", disks_count: 3 } as const;
  expect(problemsOf({ ...raid, size: "149 GiB" }, [small])).toEqual({});
  expect(problemsOf({ ...raid, size: "150 GiB" }, [small]).size).toContain("has 149 GiB");
  expect(problemsOf({ ...raid, disks_count: 2 }, [small])).toEqual({ disks_count: "From 3 to 64 disks" });
  expect(problemsOf({ ...raid, model: null, disks_count: null }, [small])).toEqual({});
});

test("a stretched RAID is asked for with a model alone", () => {
  const draft = { ...usualDraft, raid: "raid1", disks_count: 2, stretches: true, pieces_count: 9 } as const;
  const asked = { raid: { level: 1, disks_count: 2 }, stretch_pieces_count: 9 };
  expect(requestOf({ ...draft, model: "small" }).emulation).toMatchObject(asked);
  expect(requestOf(draft).emulation).toMatchObject({ raid: null, stretch_pieces_count: null });
});

test("numbers that are missing, and a limit that is none, are problems", () => {
  const draft = { ...usualDraft, seed: null, compressible_percent: null, limit: "a lot" };
  expect(Object.keys(problemsOf(draft, [])).sort()).toEqual(["compressible_percent", "limit", "seed"]);
});

test("the usual limit is 4 GiB, or the size where that is less or all is kept", () => {
  expect(usualLimitOf(usualDraft)).toBe(4 * 2 ** 30);
  expect(usualLimitOf({ ...usualDraft, size: "1 GiB" })).toBe(2 ** 30);
  expect(usualLimitOf({ ...usualDraft, keeps_all: true })).toBe(TIB);
});

test("the request leaves the limit to the server where none is typed", () => {
  expect(requestOf({ ...usualDraft, compressible_percent: 25, name: " big " })).toEqual({
    size_bytes: TIB,
    medium: "file",
    host_name: null,
    name: "big",
    expires_in_s: null,
    emulation: {
      model: null,
      raid: null,
      stretch_pieces_count: null,
      data: "random",
      time: "fast",
      seed: 0,
      compressible_fraction: 0.25,
      keeps_all: false,
      kept_paths: [],
      available_bytes: null,
    },
  });
});

test("choices without an effect are not asked for", () => {
  const draft = { ...usualDraft, time: "accurate", data: "zeroes", compressible_percent: 50 } as const;
  expect(requestOf(draft).emulation).toMatchObject({ time: "fast", compressible_fraction: 0 });
  expect(requestOf({ ...draft, model: "small" }).emulation).toMatchObject({ time: "accurate" });
});

test("paths kept as written are one a line", () => {
  const draft = { ...usualDraft, kept_paths: " database/** \n\netc/*.conf" };
  expect(problemsOf(draft, [])).toEqual({});
  expect(requestOf(draft).emulation?.kept_paths).toEqual(["database/**", "etc/*.conf"]);
  expect(requestOf({ ...draft, keeps_all: true }).emulation?.kept_paths).toEqual([]);
});

test.each(["/etc", "a//b", "../x", "a/./b", "a/"])("%s is no path to keep", (path) => {
  expect(problemsOf({ ...usualDraft, kept_paths: path }, []).kept_paths).toContain("root of the file system");
});

test("there is a most of paths to keep", () => {
  expect(problemsOf({ ...usualDraft, kept_paths: "a\n".repeat(33) }, []).kept_paths).toBe("At most 32 lines");
  expect(problemsOf({ ...usualDraft, kept_paths: "a".repeat(201) }, []).kept_paths).toContain("200");
});
