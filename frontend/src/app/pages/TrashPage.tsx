// The images that are deleted and can be brought back.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { DeletedImage } from "../../api/client";
import { DeletedRow } from "../../features/image/DeletedRow";
import { deletedImagesQuery } from "../../features/image/queries";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Rows } from "../../shared/ui/waiting/shapes";
import classes from "./TrashPage.module.css";

export function TrashPage() {
  const images = useQuery(deletedImagesQuery);
  const [brought, setBrought] = useState<DeletedImage | null>(null);
  const back = <LinkButton to="/images">Go to the catalog</LinkButton>;
  return (
    <>
      <PageHeader title="Trash">Deleted images whose chunks are not collected yet.</PageHeader>
      <p role="status" className={classes.brought}>
        {brought !== null && (
          <>
            Image{" "}
            <Link to="/images/$imageId" params={{ imageId: String(brought.id) }} className="patina-link mono">
              {brought.name}
            </Link>{" "}
            is back in the catalog.
          </>
        )}
      </p>
      <Panel query={images} skeleton={<Rows count={4} />}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="The trash is empty" action={back}>
              A deleted image stays here for its grace period, in which it can be brought back.
            </Empty>
          ) : (
            <ul className="patina-list" aria-label="Deleted images">
              {items.map((image) => (
                <DeletedRow key={image.id} image={image} onBack={setBrought} />
              ))}
            </ul>
          )
        }
      </Panel>
    </>
  );
}
