// A dialog on a page that opens without its code, which is fetched when the first dialog opens.
import type { ModalProps } from "@mantine/core";
import { useState } from "react";
import { later } from "../later";
import { useReturnFocus } from "./useReturnFocus";

const DialogFrame = later<ModalProps>(async () => (await import("./DialogFrame")).DialogFrame);

/** Is in the dialog while it is open. */
function ReturnFocus() {
  useReturnFocus();
  return null;
}

/** Stays once it was open, so that it can close as it opened. */
export function LaterDialog(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  if (!wasOpened) return null;
  return (
    <DialogFrame {...props}>
      <ReturnFocus />
      {props.children}
    </DialogFrame>
  );
}
