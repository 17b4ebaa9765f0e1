// The stored size of an image against the size of its device.
import type { Image } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatFraction,
  fraction,
  seconds,
} from "../../shared/units";
import classes from "./ImageSize.module.css";

const modes: Record<Image["mode"], string> = {
  exact: "Mode exact: every byte of the device",
  allocated: "Mode allocated: what the file system uses; its free blocks read as zero",
  metadata: "Mode metadata: files, directories and free space, with no contents",
};

function chunkItems({ capture }: Image): FigureItem[] {
  const size = (value: number) => <Exact value={formatBytes(bytes(value))} />;
  return [
    { label: "New chunks", value: size(capture.new_bytes), note: "no earlier image had them" },
    {
      label: "Chunks",
      value: <Exact value={formatCount(count(capture.distinct_chunks_count))} />,
      note: <>of {size(capture.chunk_size_bytes)}</>,
    },
    { label: "Captured in", value: <Exact value={formatDuration(seconds(capture.elapsed_s))} /> },
  ];
}

export function ImageSize({ image }: { image: Image }) {
  const { size_bytes, stored_bytes, capture } = image;
  const size = formatBytes(bytes(size_bytes));
  const stored = formatBytes(bytes(stored_bytes));
  const zero = formatBytes(bytes(capture.zero_bytes));
  const share = (part_bytes: number) => part_bytes / Math.max(size_bytes, 1);
  const percent = formatFraction(fraction(share(stored_bytes)));
  return (
    <section aria-labelledby="size" className={classes.size}>
      <div className="patina-section">
        <h2 id="size">Stored</h2>
        <span>{modes[image.mode]}</span>
      </div>
      <p>
        <strong>
          <Exact value={stored} />
        </strong>{" "}
        of{" "}
        <strong>
          <Exact value={size} />
        </strong>
        , <Exact value={percent} />
      </p>
      <div
        className={classes.bar}
        role="img"
        aria-label={`${stored.text} stored of ${size.text}, of which ${zero.text} are zero`}
      >
        <span className={classes.stored} style={{ width: `${Math.min(share(stored_bytes), 1) * 100}%` }} />
        <span className={classes.zero} style={{ width: `${share(capture.zero_bytes) * 100}%` }} />
      </div>
      <dl className={classes.key} aria-hidden>
        <div>
          <dt className={classes.storedKey} />
          <dd>stored, after packing</dd>
        </div>
        <div>
          <dt className={classes.packedKey} />
          <dd>saved by packing and sharing</dd>
        </div>
        <div>
          <dt className={classes.zeroKey} />
          <dd>chunks of zeros alone, {zero.text}</dd>
        </div>
      </dl>
      <Figures label="Figures of the chunks" items={chunkItems(image)} />
    </section>
  );
}
