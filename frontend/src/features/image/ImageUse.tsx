// How to get the device's bytes back.
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { Image } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import classes from "./ImageUse.module.css";

export function ImageUse({ image }: { image: Image }) {
  return (
    <section aria-labelledby="use" className={classes.use}>
      <h2 id="use">Give the bytes back</h2>
      <p className={classes.hint}>With casync, on the machine that holds the store:</p>
      <Copyable text={image.extract_command} what="command" isBlock />
      <div className={classes.row}>
        <Button
          component="a"
          variant="default"
          href={`/api/v1/images/${image.id}/index`}
          download
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download the index
        </Button>
        <span className={classes.digest}>
          <span className={classes.hint}>SHA-256 of the index</span>
          <Copyable text={image.index_digest} what="digest" />
        </span>
      </div>
    </section>
  );
}
