// Where the image comes from, each with the way there.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Image, ImageName } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import classes from "./ImageRecipe.module.css";

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ImageLinks({ images }: { images: readonly ImageName[] }) {
  return images.map(({ id, name }) => (
    <Link
      key={id}
      to="/images/$imageId"
      params={{ imageId: String(id) }}
      className={`patina-link mono ${classes.link}`}
    >
      {name}
    </Link>
  ));
}

/** What it shares with its parent costs nothing twice. */
function Parent({ image }: { image: Image }) {
  if (image.parent === null) return null;
  return (
    <Row label="Parent">
      <ImageLinks images={[image.parent]} />, whose chunks it shares but for{" "}
      <Exact value={formatBytes(bytes(image.capture.new_bytes))} />
    </Row>
  );
}

export function ImageProvenance({ image }: { image: Image }) {
  const { recipe } = image;
  return (
    <section aria-labelledby="provenance">
      <div className={classes.head}>
        <h2 id="provenance">Provenance</h2>
      </div>
      <dl className={classes.rows}>
        <Parent image={image} />
        {image.children.length > 0 && (
          <Row label="Children">
            <ImageLinks images={image.children} />
          </Row>
        )}
        <Row label="Run">
          <Link to="/runs/$runId" params={{ runId: String(image.run_id) }} className="patina-link">
            run {image.run_id}
          </Link>
        </Row>
        <Row label="Profile">
          <Link to="/profiles/$name" params={{ name: image.profile }} className="patina-link">
            {image.profile_title}
          </Link>{" "}
          version {image.profile_version_number}
        </Row>
        <Row label="Device">
          <Link to="/devices" className="patina-link">
            <span className="mono">{image.device_stable_id}</span>
          </Link>
          , {recipe.device_model ?? image.device_kind},{" "}
          <Exact value={formatBytes(bytes(recipe.device_size_bytes))} />
        </Row>
        <Row label="Host">
          <span className="mono">
            {recipe.host}, {recipe.kernel}
          </span>
        </Row>
        <Row label="Captured">
          <Exact value={formatTime(image.created_at)} />, by Patina {recipe.patina_version}
        </Row>
      </dl>
    </section>
  );
}
