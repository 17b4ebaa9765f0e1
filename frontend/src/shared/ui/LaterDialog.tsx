// A dialog on a page that opens without its code, which is fetched when the first dialog opens.
import type { ModalProps } from "@mantine/core";
import { useState } from "react";
import { later } from "../later";

const DialogFrame = later<ModalProps>(async () => (await import("./DialogFrame")).DialogFrame);

/** Stays once it was open, so that it can close as it opened. */
export function LaterDialog(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  return wasOpened ? <DialogFrame {...props} /> : null;
}
