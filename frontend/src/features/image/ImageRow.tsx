// An image in the catalog.
import { Link } from "@tanstack/react-router";
import type { ImageItem } from "../../api/client";
import { HistogramSparkline } from "../../shared/chart/HistogramPlot";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes, formatFraction, formatTime, fraction } from "../../shared/units";
import classes from "./ImageRow.module.css";
import { describe } from "./words";

function OfAging({ fullness, rmse }: { fullness: number; rmse: number }) {
  return (
    <>
      <div>
        <dt>Fullness</dt>
        <dd>
          <Exact value={formatFraction(fraction(fullness))} />
        </dd>
      </div>
      <div>
        <dt>Age RMSE</dt>
        <dd>
          <Exact value={formatFraction(fraction(rmse))} />
        </dd>
      </div>
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
        <span className={classes.quiet}>{describe(image)}</span>
      </div>
      {image.age !== null ? <HistogramSparkline axis="age" bins={image.age.bins} label="age" /> : <span />}
      <dl className={classes.figures}>
        {image.age !== null && image.fullness !== null && (
          <OfAging fullness={image.fullness} rmse={image.age.rmse} />
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
