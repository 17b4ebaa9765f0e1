import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { entriesOf, wordsOf } from "./glossary";
import { labelledTerms } from "./labels";

const entries = entriesOf(readFileSync("../docs/glossary.md", "utf8"));
const termAt = (slug: string) => entries.find((entry) => entry.slug === slug);

test("each term of a row has an anchor of its own and the row's meaning", () => {
  const row =
    "# G\n| word | meaning |\n| --- | --- |\n| RMSE, integer floor | a *root* |\n\n## Not used\n| a | b |\n";
  expect(entriesOf(row)).toEqual([
    { word: "RMSE", slug: "rmse", line: 4, meaning: "a *root*" },
    { word: "integer floor", slug: "integer-floor", line: 4, meaning: "a *root*" },
  ]);
});

test("a comma in parentheses separates no terms", () => {
  expect(wordsOf("role (of an account, of a credential)")).toEqual(["role (of an account, of a credential)"]);
});

test("the terms are in alphabetical order, and those of development are not among them", () => {
  const first = entries.filter(({ line }, index) => entries[index - 1]?.line !== line);
  const words = first.map(({ word }) => word.toLowerCase());
  expect(words).toEqual(words.toSorted());
  for (const slug of ["gate", "scripted-core", "handler"]) expect(termAt(slug)).toBeUndefined();
});

test("the glossary has the terms of the field, and no anchor twice", () => {
  expect(new Set(entries.map(({ slug }) => slug)).size).toBe(entries.length);
  for (const word of [
    "critical-age-bin",
    "integer-floor",
    "set-aside",
    "converged",
    "age-of-a-file",
    "budget-of-a-run",
  ])
    expect(termAt(word)?.meaning).toMatch(/\w/);
  expect(labelledTerms.filter((slug) => termAt(slug) === undefined)).toEqual([]);
});
