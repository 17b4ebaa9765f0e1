// The glossary: its terms, read from the document that the help shows.
import { queryOptions } from "@tanstack/react-query";
import { arriving } from "../arriving";
import { slugOf } from "./slug";

export interface Entry {
  /** The term as the glossary writes it, with what it is of: "kind (of a fit)". */
  word: string;
  slug: string;
  /** Of the document, counted from 1. */
  line: number;
  /** A sentence with *words* in italics and `names`. */
  meaning: string;
}

/** Splits "message, author (of a version)" into its terms; a comma in parentheses separates nothing. */
export function wordsOf(cell: string): string[] {
  return cell.split(/, (?![^(]*\))/).map((word) => word.trim());
}

/** Returns the terms of the document's first table, each with an anchor of its own. */
export function entriesOf(markdown: string): Entry[] {
  const [terms = ""] = markdown.split(/^## /m);
  const used = new Map<string, number>();
  return terms.split("\n").flatMap((row, index) => {
    const [, cell, meaning] = /^\| (.+?) \| (.+) \|$/.exec(row) ?? [];
    if (cell === undefined || meaning === undefined || cell === "word" || cell.startsWith("---")) return [];
    return wordsOf(cell).map((word) => {
      const slug = slugOf(word);
      const times = (used.get(slug) ?? 0) + 1;
      used.set(slug, times);
      return { word, slug: times === 1 ? slug : `${slug}-${times}`, line: index + 1, meaning };
    });
  });
}

export const glossaryQuery = queryOptions({
  queryKey: ["help", "glossary"],
  queryFn: async () => {
    const { default: markdown } = await arriving(() => import("../../../../docs/glossary.md?raw"));
    return entriesOf(markdown);
  },
  staleTime: Infinity,
});
