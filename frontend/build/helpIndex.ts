// A plugin of Vite: `virtual:help-index` is the list of the documents of docs/, each with its title and headings.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const NAME = "virtual:help-index";

export interface Outline {
  /** Of the document, below /help/: "how-to/add-a-route". */
  path: string;
  title: string;
  headings: string[];
}

const plain = (text: string) => text.replaceAll(/[*`]/g, "").trim();

export function outlineOf(path: string, markdown: string): Outline {
  const text = markdown.replaceAll(/^```[\s\S]*?^```/gm, "");
  const headingsOf = (mark: RegExp) => Array.from(text.matchAll(mark), ([, words = ""]) => plain(words));
  return { path, title: headingsOf(/^# (.+)$/gm)[0] ?? path, headings: headingsOf(/^#{2,3} (.+)$/gm) };
}

/** Returns the outlines of all documents in a folder and those below. */
export function outlines(folder: string): Outline[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .toSorted()
    .map((file) => outlineOf(file.replace(/\.md$/, ""), readFileSync(join(folder, file), "utf8")));
}

export function helpIndex(): Plugin {
  let folder = "";
  return {
    name: "patina-help-index",
    configResolved: (config) => void (folder = join(config.root, "../docs")),
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(outlines(folder))};` : null),
  };
}
