// The images that a retention rule deletes.
import { Link } from "@tanstack/react-router";
import type { RetentionPreview } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { formatDuration, formatTime, seconds } from "../../shared/units";
import classes from "./Retention.module.css";

const FEW = 100;

function images(number: number): string {
  return `${number} ${number === 1 ? "image" : "images"}`;
}

export function LeavingImages({ preview }: { preview: RetentionPreview }) {
  const { items, kept_count, grace_s } = preview;
  return (
    <>
      <p role="status">
        {items.length === 0 ? "No image goes" : `${images(items.length)} would go`}, {images(kept_count)}{" "}
        {kept_count === 1 ? "stays" : "stay"}.
        {items.length > 0 && (
          <>
            {" "}
            A deletion can be undone for <Exact value={formatDuration(seconds(grace_s))} />.
          </>
        )}
      </p>
      {items.length > 0 && (
        <ul className={classes.leaving} aria-label="Images that go">
          {items.slice(0, FEW).map((item) => (
            <li key={item.id}>
              <Link to="/images/$imageId" params={{ imageId: String(item.id) }} className="mono patina-link">
                {item.name}
              </Link>
              <span className="patina-quiet">
                <Exact value={formatTime(item.created_at)} />; {item.reason}
              </span>
            </li>
          ))}
          {items.length > FEW && <li className="patina-quiet">and {items.length - FEW} more</li>}
        </ul>
      )}
    </>
  );
}
