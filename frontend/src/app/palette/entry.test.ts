import { expect, test } from "vitest";
import { sectionsOf, type Entry, type Group } from "./entry";

const entry = (group: Group, title: string, more: Partial<Entry> = {}): Entry => ({
  id: `${group} ${title}`,
  group,
  title,
  go: () => undefined,
  ...more,
});
const titles = (entries: readonly Entry[], typed: string) =>
  sectionsOf(entries, typed).map((section) => [section.group, section.entries.map(({ title }) => title)]);

const entries = [
  entry("Actions", "Import an image", { keywords: "upload" }),
  entry("Pages", "Images"),
  entry("Images", "agrawal-70", { note: "image 12, ext4" }),
  entry("Help", "Image", { note: "a captured device" }),
];

test("without words every page and action is offered, in a fixed order", () => {
  expect(titles(entries.slice(0, 2), "")).toEqual([
    ["Actions", ["Import an image"]],
    ["Pages", ["Images"]],
  ]);
});

test("what is called as typed comes first", () => {
  expect(titles(entries, "image").map(([group]) => group)).toEqual(["Help", "Pages", "Actions", "Images"]);
  expect(titles(entries, "IMAGES")).toEqual([["Pages", ["Images"]]]);
});

test("every word must fit, in any order, in the title or beside it", () => {
  expect(titles(entries, "ext4 agra")).toEqual([["Images", ["agrawal-70"]]]);
  expect(titles(entries, "upload")).toEqual([["Actions", ["Import an image"]]]);
  expect(titles(entries, "upload nothing")).toEqual([]);
});

test("what the server has found is shown, by each word of its search", () => {
  const found = entry("Images", "lab", { isFound: true });
  expect(titles([found], "kernel-6.1")).toEqual([["Images", ["lab"]]]);
});

test("of entries that open the same the best alone is offered", () => {
  const terms = ["RMSE", "integer floor"].map((title) =>
    entry("Help", title, { note: "the floor of an RMSE", opens: "line 42" }),
  );
  expect(titles(terms, "integer")).toEqual([["Help", ["integer floor"]]]);
  expect(titles(terms, "rmse")).toEqual([["Help", ["RMSE"]]]);
  expect(titles(terms, "of an")).toEqual([["Help", ["RMSE"]]]);
});

test("a group shows the best of many", () => {
  const many = Array.from({ length: 20 }, (_, index) => entry("Runs", `Run ${index + 1}`));
  expect(titles(many, "run 1")[0]?.[1]).toEqual(["Run 1", "Run 10", "Run 11", "Run 12", "Run 13", "Run 14"]);
});
