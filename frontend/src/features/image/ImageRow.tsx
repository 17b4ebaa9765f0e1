// An image in the catalog.
import { Link } from "@tanstack/react-router";
import type { ImageItem } from "../../api/client";
import { HistogramSparkline } from "../../shared/chart/histogram/HistogramPlot";
import { Exact } from "../../shared/ui/Exact";
import { notReadable } from "../../shared/modes";
import { StateMark } from "../../shared/ui/StateMark";
import { restrictionOf } from "../../shared/sharing";
import { bytes, formatBytes, formatFraction, formatTime, fraction } from "../../shared/units";
import classes from "./ImageRow.module.css";
import { describe } from "./words";

/** The figures of the aging; a trial changes the image, so they do not describe its own layout. */
function OfAging({ fullness, rmse }: { fullness: number; rmse: number | null }) {
  return (
    <>
      <div>
        <dt>Fullness</dt>
        <dd>
          <Exact value={formatFraction(fraction(fullness))} />
        </dd>
      </div>
      {rmse !== null && (
        <div>
          <dt>Age RMSE</dt>
          <dd>
            <Exact value={formatFraction(fraction(rmse))} />
          </dd>
        </div>
      )}
    </>
  );
}

export function ImageRow({ image }: { image: ImageItem }) {
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Link to="/images/$imageId" params={{ imageId: String(image.id) }} className={`mono ${classes.name}`}>
          {image.name}
        </Link>
        <span className={classes.quiet}>
          {describe(image)}
          {image.is_readable === false && `; ${notReadable}`}
          {image.visibility !== "everyone" && `; ${restrictionOf(image.visibility)}`}
          {image.is_protected && "; protected"}
        </span>
        {!image.is_content_known && <StateMark tone="bad">content unknown</StateMark>}
        {image.tags.length > 0 && <span className={`mono ${classes.tags}`}>{image.tags.join("  ")}</span>}
      </div>
      {image.age !== null && image.parent === null ? (
        <HistogramSparkline axis="age" bins={image.age.bins} label="age" />
      ) : (
        <span />
      )}
      <dl className={classes.figures}>
        {image.age !== null && image.fullness !== null && (
          <OfAging fullness={image.fullness} rmse={image.parent === null ? image.age.rmse : null} />
        )}
        <div className={classes.size}>
          <dt>Size</dt>
          <dd>
            <Exact value={formatBytes(bytes(image.size_bytes))} />
          </dd>
        </div>
        <div>
          <dt>Stored</dt>
          <dd>
            <Exact value={formatBytes(bytes(image.stored_bytes))} />
          </dd>
        </div>
        <div>
          <dt>Made</dt>
          <dd>
            <Exact value={formatTime(image.created_at)} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
