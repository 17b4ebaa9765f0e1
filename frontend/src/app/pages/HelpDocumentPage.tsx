// One document of the help.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { Document } from "../../features/help/Document";
import { documentQuery, outlines } from "../../features/help/documents";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { TextLines } from "../../shared/ui/waiting/shapes";
import { HelpPage } from "./HelpPage";
import { NotFoundPage } from "./NotFoundPage";

/** An empty path is the list of all documents. */
export function HelpDocumentPage({ path }: { path: string }) {
  return path === "" ? <HelpPage /> : <DocumentAt key={path} path={path} />;
}

function DocumentAt({ path }: { path: string }) {
  const text = useQuery(documentQuery(path));
  const { hash } = useLocation();
  const isThere = text.data != null;
  // The browser looked for the anchor before the text had arrived.
  useEffect(() => {
    if (isThere && hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [isThere, hash]);
  const outline = outlines.find((each) => each.path === path);
  if (outline === undefined) return <NotFoundPage />;
  return (
    <>
      <PageHeader title={outline.title} tab={`${outline.title} · Help`}>
        <Link to="/help/$" params={{ _splat: "" }} className="patina-link">
          Help
        </Link>
      </PageHeader>
      <Panel query={text} skeleton={<TextLines />}>
        {(markdown) => <Document path={path} text={markdown ?? ""} hash={hash} />}
      </Panel>
    </>
  );
}
