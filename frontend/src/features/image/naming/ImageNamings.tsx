// When names and tags began or ceased to name an image.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Image, ImageName, ImageNaming } from "../../../api/client";
import { Exact } from "../../../shared/ui/Exact";
import { Panel } from "../../../shared/ui/Panel";
import { formatTime } from "../../../shared/units";
import classes from "./ImageNames.module.css";
import { namingsQuery } from "./queries";
import { Rows } from "../../../shared/ui/waiting/shapes";

function Other({ image }: { image: ImageName | null }) {
  if (image === null) return "another image";
  return (
    <Link to="/images/$imageId" params={{ imageId: String(image.id) }} className="mono patina-link">
      {image.name}
    </Link>
  );
}

/** States one moment from the point of view of the image. */
function Change({ image_id, naming }: { image_id: number; naming: ImageNaming }) {
  const { image, earlier_image } = naming;
  if (image?.id !== image_id) {
    const isRemoved = image === null;
    return isRemoved ? (
      "no longer names it"
    ) : (
      <>
        moved to <Other image={image} />
      </>
    );
  }
  return earlier_image === null ? (
    "names it"
  ) : (
    <>
      moved here from <Other image={earlier_image} />
    </>
  );
}

function List({ image }: { image: Image }) {
  const namings = useQuery(namingsQuery(image.id));
  return (
    <Panel query={namings} skeleton={<Rows count={2} height={32} />}>
      {(items) =>
        items.length === 0 ? (
          <p className="patina-quiet">It has the name under which it was published, and never had a tag.</p>
        ) : (
          <ul className={classes.namings} aria-label="Names and tags">
            {items.map((naming) => (
              <li key={naming.id}>
                <span className="mono">{naming.reference}</span>{" "}
                <Change image_id={image.id} naming={naming} />{" "}
                <span className="patina-quiet">
                  <Exact value={formatTime(naming.named_at)} />
                  {naming.account_name !== null && `, by ${naming.account_name}`}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Panel>
  );
}

export function ImageNamings({ image }: { image: Image }) {
  const [isShown, setShown] = useState(false);
  return (
    <div>
      <Button variant="subtle" size="compact-sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? "Hide earlier names" : "Show earlier names"}
      </Button>
      {isShown && <List image={image} />}
    </div>
  );
}
