// Where the image comes from, each with the way there.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Image } from "../../api/client";
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

export function ImageProvenance({ image }: { image: Image }) {
  const { recipe } = image;
  return (
    <section aria-labelledby="provenance">
      <div className={classes.head}>
        <h2 id="provenance">Provenance</h2>
      </div>
      <dl className={classes.rows}>
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
