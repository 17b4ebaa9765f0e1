// An image in the catalog.
import { Link } from "@tanstack/react-router";
import { isAged, type AgedImage, type Image } from "../../api/client";
import { HistogramSparkline } from "../../shared/chart/HistogramPlot";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes, formatFraction, formatTime, fraction } from "../../shared/units";
import classes from "./ImageRow.module.css";
import { describe } from "./words";

function OfAging({ image }: { image: AgedImage }) {
  return (
    <>
      <div>
        <dt>Fullness</dt>
        <dd>
          <Exact value={formatFraction(fraction(image.fullness))} />
        </dd>
      </div>
      <div>
        <dt>Age RMSE</dt>
        <dd>
          <Exact value={formatFraction(fraction(image.summary.histograms.age.rmse))} />
        </dd>
      </div>
    </>
  );
}

export function ImageRow({ image }: { image: Image }) {
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Link to="/images/$imageId" params={{ imageId: String(image.id) }} className={`mono ${classes.name}`}>
          {image.name}
        </Link>
        <span className={classes.quiet}>{describe(image)}</span>
      </div>
      {isAged(image) ? (
        <HistogramSparkline axis="age" bins={image.summary.histograms.age.bins} label="age" />
      ) : (
        <span />
      )}
      <dl className={classes.figures}>
        {isAged(image) && <OfAging image={image} />}
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
