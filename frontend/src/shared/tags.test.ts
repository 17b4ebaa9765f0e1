import { expect, test } from "vitest";
import { tagsIn } from "./tags";

test("a comma ends a tag, and each tag is there once", () => {
  expect(tagsIn(["mail", "jb, three", " mail ,", ""])).toEqual(["mail", "jb", "three"]);
  expect(tagsIn([])).toEqual([]);
});
