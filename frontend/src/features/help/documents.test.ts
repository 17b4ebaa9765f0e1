import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { outlineOf } from "../../../build/helpIndex";
import { slugOf } from "../../shared/help/slug";
import { entriesOf } from "../../shared/help/glossary";
import { documentGroups, outlines, pictureAt, targetOf } from "./documents";

const DOCS = "../docs/";
const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
const textOf = (path: string) => readFileSync(`${DOCS}${path}.md`, "utf8");

/** Returns the links of a document, or its pictures, outside of code. */
function linksOf(path: string, mark: "" | "!"): string[] {
  const text = textOf(path).replaceAll(/```[\s\S]*?```|`[^`]*`/g, "");
  return Array.from(text.matchAll(/(!?)\[[^\]]*\]\(([^)]+)\)/g))
    .filter(([, picture]) => picture === mark)
    .map(([, , href = ""]) => href);
}

test("every document is listed, in one group", () => {
  const listed = documentGroups.flatMap(({ documents }) => documents.map(({ path }) => `${path}.md`));
  expect(listed.toSorted()).toEqual(files.toSorted());
});

test("the first steps are the first document, and tell the shortcuts", () => {
  const [first] = documentGroups[0]?.documents ?? [];
  expect(first?.path).toBe("first-steps");
  for (const heading of ["Age it", "Measure and trace", "Roll back", "Keyboard shortcuts"])
    expect(first?.headings).toContain(heading);
});

test("a document's title and headings are known without its text", () => {
  const text = "# A `b`\n## One *two*\n```\n# not one\n```\n### Three\n";
  expect(outlineOf("x", text)).toEqual({ path: "x", title: "A b", headings: ["One two", "Three"] });
});

test("a link is followed from the folder of its document", () => {
  expect(targetOf("how-to/add-a-route", "../design.md#x")).toEqual({
    kind: "document",
    path: "design",
    hash: "x",
  });
  expect(targetOf("how-to/add-a-route", "add-a-workload.md")).toMatchObject({
    path: "how-to/add-a-workload",
  });
  expect(targetOf("cli", "#y")).toEqual({ kind: "document", path: "cli", hash: "y" });
  expect(targetOf("cli", "https://example.org/")).toEqual({ kind: "outside", href: "https://example.org/" });
  expect(targetOf("cli", "../backend/main.py")).toEqual({ kind: "none" });
});

test("links between documents lead to a document and a heading of it, and pictures are there", () => {
  const broken = outlines.flatMap(({ path }) =>
    linksOf(path, "").filter((href) => {
      const target = targetOf(path, href);
      if (target.kind === "none") return /\.md(#|$)/.test(href);
      if (target.kind === "outside" || target.hash === "") return false;
      const { headings = [] } = outlines.find((each) => each.path === target.path) ?? {};
      const terms = target.path === "glossary" ? entriesOf(textOf("glossary")).map(({ slug }) => slug) : [];
      return ![...headings.map(slugOf), ...terms].includes(target.hash);
    }),
  );
  expect(broken).toEqual([]);
  const missing = outlines.flatMap(({ path }) =>
    linksOf(path, "!").filter((src) => pictureAt(path, src) === undefined),
  );
  expect(missing).toEqual([]);
});

test("no document has two headings of one anchor", () => {
  const doubled = outlines.filter(({ headings }) => new Set(headings.map(slugOf)).size < headings.length);
  expect(doubled.map(({ path }) => path)).toEqual([]);
});
