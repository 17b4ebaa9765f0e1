// One format of an image: its purpose, size and digest, and the button that downloads it.
import { Button, Progress } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ImageDownload } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { Exact } from "../../shared/ui/Exact";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes, formatFraction, fraction } from "../../shared/units";
import classes from "./DownloadRow.module.css";

const purposes: Record<ImageDownload["format"], string> = {
  raw: "Byte by byte, to write to a device",
  "raw.zst": "The same, compressed; zstd -d unpacks it",
  qcow2: "For QEMU; zero blocks take no space",
};

interface Props {
  download: ImageDownload;
  onAsk: () => void;
  isAsked: boolean;
  refusal: Error | null;
}

function Digest({ download, onAsk, isAsked }: Omit<Props, "refusal">) {
  const { format, sha256, digest_progress_fraction: done } = download;
  if (sha256 !== null) return <Copyable text={sha256} what={`digest of ${format}`} />;
  if (isAsked || done !== null) {
    const percent = formatFraction(fraction(done ?? 0)).text;
    return (
      <span className={classes.computing}>
        <Progress value={(done ?? 0) * 100} size={6} aria-label={`Digest of ${format}`} />
        <span className={classes.quiet}>computing SHA-256, {percent}</span>
      </span>
    );
  }
  return (
    <Button variant="default" size="compact-sm" onClick={onAsk} aria-label={`Compute SHA-256 of ${format}`}>
      Compute SHA-256
    </Button>
  );
}

export function DownloadRow({ refusal, ...props }: Props) {
  const { format, url, file_name, size_bytes } = props.download;
  return (
    <li className={classes.row} aria-label={format}>
      <div className={classes.what}>
        <span className="mono">{format}</span>
        <span className={classes.quiet}>{purposes[format]}</span>
      </div>
      <span className={classes.size}>
        <Exact value={formatBytes(bytes(size_bytes))} />
      </span>
      <div className={classes.digest}>
        <Digest {...props} />
      </div>
      <Button
        component="a"
        variant={format === "raw.zst" ? "filled" : "default"}
        href={url}
        download={file_name}
        aria-label={`Download ${format}`}
        title={file_name}
        className={classes.button ?? ""}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Download
      </Button>
      {refusal !== null && (
        <div className={classes.refusal}>
          <RefusalNotice error={refusal} onRetry={props.onAsk} />
        </div>
      )}
    </li>
  );
}
