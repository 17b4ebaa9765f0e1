// The documents of docs/, as the help shows them: each is fetched when it is opened.
import { queryOptions } from "@tanstack/react-query";
import outlines from "virtual:help-index";
import { arriving } from "../../shared/arriving";

const ROOT = "../../../../docs/";
const texts = import.meta.glob<string>("../../../../docs/**/*.md", { query: "?raw", import: "default" });
const pictures = import.meta.glob<string>("../../../../docs/studies/*.svg", {
  query: "?url",
  import: "default",
  eager: true,
});

export { outlines };

/** The text of a document; null if there is none of this path. */
export const documentQuery = (path: string) =>
  queryOptions({
    queryKey: ["help", "document", path],
    queryFn: () => {
      const load = texts[`${ROOT}${path}.md`];
      return load === undefined ? null : arriving(load);
    },
    staleTime: Infinity,
  });

/** What users read, in this order. The other documents beside them describe Patina itself. */
const inUse = ["first-steps", "emulated-disks", "glossary", "cli", "operations"];

/** Groups of the other documents, in the order of the list; the folder that each is in. */
const groups = [
  { title: "How Patina works", folder: "" },
  { title: "How to extend Patina", folder: "how-to" },
  { title: "Studies", folder: "studies" },
  { title: "Decisions", folder: "decisions" },
] as const;

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export const documentGroups = [
  {
    title: "Using Patina",
    documents: inUse.flatMap((path) => outlines.filter((each) => each.path === path)),
  },
  ...groups.map(({ title, folder }) => ({
    title,
    documents: outlines.filter(({ path }) => folderOf(path) === folder && !inUse.includes(path)),
  })),
];

/** Where a link in a document leads. */
export type Target =
  | { kind: "document"; path: string; hash: string }
  | { kind: "outside"; href: string }
  | { kind: "none" };

/** Returns a path of docs/ that is written in a document beside it: "../design.md" in "how-to/x" is "design.md". */
function resolved(from: string, href: string): string {
  return decodeURI(new URL(href, `http://docs/${from}`).pathname.slice(1));
}

export function targetOf(from: string, href: string): Target {
  if (/^https?:/.test(href)) return { kind: "outside", href };
  const [file = "", hash = ""] = href.split("#");
  if (file === "") return { kind: "document", path: from, hash };
  const path = resolved(from, file).replace(/\.md$/, "");
  return outlines.some((each) => each.path === path) ? { kind: "document", path, hash } : { kind: "none" };
}

/** Returns the address of a picture in a document. */
export function pictureAt(from: string, src: string): string | undefined {
  return pictures[`${ROOT}${resolved(from, src)}`];
}
