// A document of the help: our own Markdown, with tables, anchors, and links from one to another.
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { entriesOf } from "../../shared/help/glossary";
import { slugOf } from "../../shared/help/slug";
import classes from "./Document.module.css";
import { pictureAt, targetOf } from "./documents";
import { Wide } from "./Wide";

type Node = NonNullable<ExtraProps["node"]>;

/** Returns the words of a part of the document. */
function textOf(node: Node | Node["children"][number] | undefined): string {
  if (node === undefined) return "";
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

function DocumentLink({ from, href, children }: { from: string; href: string; children: ReactNode }) {
  const target = targetOf(from, href);
  if (target.kind === "none") return <span>{children}</span>;
  if (target.kind === "outside")
    return (
      <a href={target.href} rel="noopener noreferrer" className="patina-link">
        {children}
      </a>
    );
  return (
    <Link
      to="/help/$"
      params={{ _splat: target.path }}
      {...(target.hash !== "" && { hash: target.hash })}
      className="patina-link"
    >
      {children}
    </Link>
  );
}

/** The first cell of a row of the glossary, with an anchor for each of its terms. */
function termCell(text: string, hash: string): NonNullable<Components["td"]> {
  const entries = entriesOf(text);
  return ({ node, children }) => {
    const { line, column } = node?.position?.start ?? {};
    const slugs = column === 1 ? entries.filter((each) => each.line === line).map(({ slug }) => slug) : [];
    return (
      <td data-chosen={slugs.includes(hash) || undefined}>
        {slugs.map((slug) => (
          <span key={slug} id={slug} />
        ))}
        {children}
      </td>
    );
  };
}

function partsOf(path: string, text: string, hash: string): Components {
  return {
    ...(path === "glossary" && { td: termCell(text, hash) }),
    h1: () => null, // the head of the page
    h2: ({ node, children }) => <h2 id={slugOf(textOf(node))}>{children}</h2>,
    h3: ({ node, children }) => <h3 id={slugOf(textOf(node))}>{children}</h3>,
    a: ({ href = "", children }) => (
      <DocumentLink from={path} href={href}>
        {children}
      </DocumentLink>
    ),
    img: ({ src, alt }) => <img src={pictureAt(path, String(src))} alt={alt} className={classes.picture} />,
    th: ({ children }) => (children === undefined ? <td /> : <th scope="col">{children}</th>),
    table: ({ children }) => (
      <Wide>
        <table>{children}</table>
      </Wide>
    ),
    pre: ({ children }) => (
      // What scrolls is reachable by keyboard.
      <pre tabIndex={0}>{children}</pre>
    ),
  };
}

/** `hash` is the anchor that the address names. */
export function Document({ path, text, hash }: { path: string; text: string; hash: string }) {
  const parts = useMemo(() => partsOf(path, text, hash), [path, text, hash]);
  return (
    <div className={classes.document}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} skipHtml components={parts}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
