// The provenance of an image, with links.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isAged, type AgedImage, type Image, type IntakeFacts, type Recipe } from "../../api/client";
import { workloadOf } from "../../shared/goal";
import { Copyable } from "../../shared/ui/Copyable";
import { Exact } from "../../shared/ui/Exact";
import { StateMark } from "../../shared/ui/StateMark";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import classes from "./ImageRecipe.module.css";
import { kinds } from "./words";

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The parent; chunks shared with it are stored once. */
function Parent({ image }: { image: Image }) {
  const { parent } = image;
  if (parent === null) return null;
  return (
    <Row label="Parent">
      <Link to="/images/$imageId" params={{ imageId: String(parent.id) }} className="patina-link mono">
        {parent.name}
      </Link>
      , whose chunks it shares but for <Exact value={formatBytes(bytes(image.capture.new_bytes))} />
    </Row>
  );
}

function OfRun({ image }: { image: AgedImage }) {
  const { recipe } = image;
  return (
    <>
      <Row label="Run">
        <Link to="/runs/$runId" params={{ runId: String(image.run_id) }} className="patina-link">
          run {image.run_id}
        </Link>
      </Row>
      {image.profile === null ? (
        <Row label="Workload">{workloadOf(recipe)}</Row>
      ) : (
        <Row label="Profile">
          <Link to="/profiles/$name" params={{ name: image.profile }} className="patina-link">
            {image.profile_title}
          </Link>{" "}
          version {image.profile_version_number}
        </Row>
      )}
      <Row label="Device">
        <Link to="/devices" className="patina-link">
          <span className="mono">{image.device_stable_id}</span>
        </Link>
        , {recipe.device_model ?? image.device_kind},{" "}
        <Exact value={formatBytes(bytes(recipe.device_size_bytes))} />
      </Row>
      <Made at={image.created_at} by={recipe} what="Captured" />
    </>
  );
}

function OfIntake({ image, facts }: { image: Image; facts: IntakeFacts }) {
  return (
    <>
      <Row label="Imported as">{kinds[facts.kind]}</Row>
      {facts.archive != null && (
        <Row label="Exported as">
          <span className="mono">{facts.archive.name}</span>, made{" "}
          <Exact value={formatTime(facts.archive.created_at)} />
        </Row>
      )}
      <Row label="Source">{facts.source === "" ? "unknown" : facts.source}</Row>
      <Row label="File">
        <span className="mono">{facts.file_name}</span>, {facts.format},{" "}
        <Exact value={formatBytes(bytes(facts.file_bytes))} />
      </Row>
      <Row label="SHA-256 of the file">
        <Copyable text={facts.file_sha256} what="digest of the file" />
      </Row>
      <Row label="Holds">{facts.holds ?? "nothing (blank)"}</Row>
      <Row label="Checked">
        <StateMark tone={facts.is_clean === null ? "stopped" : facts.is_clean ? "good" : "bad"}>
          {facts.check_message}
        </StateMark>
      </Row>
      <Made at={image.created_at} by={facts} what={image.parent === null ? "Imported" : "Captured"} />
    </>
  );
}

function Made({ at, by, what }: { at: string; by: Recipe | IntakeFacts; what: string }) {
  return (
    <>
      <Row label="Host">
        <span className="mono">
          {by.host}, {by.kernel}
        </span>
      </Row>
      <Row label={what}>
        <Exact value={formatTime(at)} />, by Patina {by.patina_version}
      </Row>
    </>
  );
}

/** The place of its chunks, and whether they are reachable now. */
function Kept({ image: { place } }: { image: Image }) {
  const where = [
    place.bucket === null ? null : `in bucket ${place.bucket}`,
    place.host === null ? null : `in the store of host ${place.host}`,
  ].filter((each) => each !== null);
  const isAway = place.bucket === null && place.is_host_healthy === false;
  return (
    <Row label="Kept">
      {where.join(", and ") || "unknown"}
      {isAway && (
        <>
          {" "}
          <StateMark tone="bad">
            {place.is_host_removed === true ? "unreachable: host removed" : "unreachable: host silent"}
          </StateMark>
        </>
      )}
    </Row>
  );
}

export function ImageProvenance({ image }: { image: Image }) {
  return (
    <section aria-labelledby="provenance">
      <div className={classes.head}>
        <h2 id="provenance">Provenance</h2>
      </div>
      <dl className={classes.rows}>
        <Parent image={image} />
        <Kept image={image} />
        {isAged(image) && <OfRun image={image} />}
        {image.intake !== null && <OfIntake image={image} facts={image.intake} />}
      </dl>
    </section>
  );
}
