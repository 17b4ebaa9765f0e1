// Names, and shortened descriptions.
import { expect, test } from "vitest";
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
