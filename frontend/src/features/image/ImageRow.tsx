// An image in the catalog.
import { Link } from "@tanstack/react-router";
import type { Image } from "../../api/client";
import { HistogramSparkline } from "../../shared/chart/HistogramPlot";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes, formatFraction, formatTime, fraction } from "../../shared/units";
import classes from "./ImageRow.module.css";

export function ImageRow({ image }: { image: Image }) {
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Link to="/images/$imageId" params={{ imageId: String(image.id) }} className={`mono ${classes.name}`}>
          {image.name}
        </Link>
        <span className={classes.quiet}>
          {image.profile_title} version {image.profile_version_number}, {image.file_system}
        </span>
      </div>
      <HistogramSparkline axis="age" bins={image.summary.histograms.age.bins} label="age" />
      <dl className={classes.figures}>
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
        <div>
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
