// Names, and shortened descriptions.
import { expect, test } from "vitest";
import { rowsOf } from "./CompareFigures";
import { isProfileName, nameOfTitle, plainOf } from "./words";

test.each([
  ["My laptop, 2026", "my-laptop-2026"],
  ["Übergröße", "ubergro-e"],
  ["  --  ", ""],
])("%s is called %s", (title, name) => {
  expect(nameOfTitle(title)).toBe(name);
  expect(name === "" || isProfileName(name)).toBe(true);
});

test("what cannot stand in an address is no name", () => {
  for (const name of ["", "A", "-a", "a b", "ä", "a/b", "a_b", "a".repeat(64)])
    expect(isProfileName(name)).toBe(false);
});

test("a card shows the first paragraph without marks", () => {
  expect(plainOf("# A **study** of\n[laptops](https://example.org)\n\nThe rest")).toBe("A study of laptops");
  expect(plainOf("")).toBe("");
});

test("two versions are compared at every edge that either has", () => {
  const bin = (edge: number, weight: number) => ({ edge, weight, subdirs: 0 });
  expect(rowsOf([bin(1, 1), bin(4, 3)], [bin(2, 5), bin(4, 5)])).toEqual([
    { edge: 1, left: 0.25, right: null },
    { edge: 2, left: null, right: 0.5 },
    { edge: 4, left: 0.75, right: 0.5 },
  ]);
});
