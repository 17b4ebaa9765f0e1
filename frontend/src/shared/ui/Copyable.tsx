// A command, path or digest in mono, with a button that copies it.
import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./Copyable.module.css";

export function Copyable({ text, what, isBlock = false }: { text: string; what: string; isBlock?: boolean }) {
  return (
    <span className={isBlock ? classes.block : classes.line}>
      <code className={classes.text}>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : `Copy ${what}`}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              className={classes.button ?? ""}
              onClick={copy}
              aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
            >
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  );
}
