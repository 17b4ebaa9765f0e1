// Help: the documents of Patina, from this server.
import { Link } from "@tanstack/react-router";
import { documentGroups } from "../../features/help/documents";
import { PageHeader } from "../../shared/ui/PageHeader";

export function HelpPage() {
  return (
    <>
      <PageHeader title="Help">
        A word with a dotted line shows its meaning. All of them are in the{" "}
        <Link to="/help/$" params={{ _splat: "glossary" }} className="patina-link">
          glossary
        </Link>
        ; the search finds terms, documents and their headings.
      </PageHeader>
      <div className="patina-stack">
        {documentGroups.map(({ title, documents }) => (
          <section key={title} aria-label={title}>
            <div className="patina-section">
              <h2>{title}</h2>
            </div>
            <ul className="patina-list">
              {documents.map((document) => (
                <li key={document.path} style={{ padding: "4px 0" }}>
                  <Link to="/help/$" params={{ _splat: document.path }} className="patina-link">
                    {document.title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <section aria-label="The API">
          <div className="patina-section">
            <h2>The API</h2>
          </div>
          <a href="/api/docs" className="patina-link">
            Each route, with its parameters and answers
          </a>
        </section>
      </div>
    </>
  );
}
