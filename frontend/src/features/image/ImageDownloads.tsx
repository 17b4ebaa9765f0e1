// Downloads of an image: three formats, or casync from this server's store.
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Image, ImageDownloads as Downloads } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { Panel } from "../../shared/ui/Panel";
import { DownloadRow } from "./DownloadRow";
import classes from "./ImageDownloads.module.css";
import { downloadsQuery, useDigest } from "./queries";
import { Rows } from "../../shared/ui/waiting/shapes";

function SmallFile({ what, url, digest }: { what: string; url: string; digest: string | null }) {
  return (
    <div className={classes.row}>
      <Button
        component="a"
        variant="default"
        href={url}
        download
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Download the {what}
      </Button>
      {digest !== null && (
        <span className={classes.digest}>
          <span className={classes.hint}>SHA-256 of the {what}</span>
          <Copyable text={digest} what={`digest of the ${what}`} />
        </span>
      )}
    </div>
  );
}

function FromTheShell({ image, downloads }: { image: Image; downloads: Downloads }) {
  return (
    <div className={classes.shell}>
      <p className={classes.hint}>
        From a shell: <span className="mono">patina pull</span> continues an interrupted download and checks
        the digest.
      </p>
      <Copyable text={`patina pull ${image.name}`} what="pull command" isBlock />
      <p className={classes.hint}>
        With Debian&apos;s casync, which fetches missing chunks from this server, and an access token in{" "}
        <code>PATINA_TOKEN</code>:
      </p>
      <Copyable text={downloads.extract_command} what="casync command" isBlock />
      <SmallFile what="index" url={downloads.index_url} digest={image.index_digest} />
      <p className={classes.hint}>
        The manifest records the origin of the image: recipe, figures and layout, in one JSON document.
      </p>
      <SmallFile
        what="manifest"
        url={`/api/v1/images/${image.id}/manifest.json`}
        digest={image.manifest_digest}
      />
    </div>
  );
}

export function ImageDownloads({ image }: { image: Image }) {
  const digest = useDigest(image.id);
  const downloads = useQuery({
    ...downloadsQuery(image.id),
    // Polls the progress while a digest is computed.
    refetchInterval: ({ state }) =>
      digest.isPending || state.data?.items.some((item) => item.digest_progress_fraction !== null)
        ? 1_000
        : false,
  });
  return (
    <section aria-labelledby="downloads">
      <div className="patina-section">
        <h2 id="downloads">Download</h2>
        <span>The device&apos;s bytes, checked chunk by chunk during download</span>
      </div>
      <Panel query={downloads} skeleton={<Rows count={4} height={96} />}>
        {(data) => (
          <div className={classes.use}>
            <ul className="patina-list" aria-label="Formats">
              {data.items.map((item) => (
                <DownloadRow
                  key={item.format}
                  download={item}
                  onAsk={() => digest.mutate(item.format)}
                  isAsked={digest.isPending && digest.variables === item.format}
                  refusal={digest.variables === item.format ? digest.error : null}
                />
              ))}
            </ul>
            <FromTheShell image={image} downloads={data} />
          </div>
        )}
      </Panel>
    </section>
  );
}
