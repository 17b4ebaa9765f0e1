// A dialog that is open while it is on the page. Focus returns to what opened it.
import { Modal, type ModalProps } from "@mantine/core";
import { useReturnFocus } from "./useReturnFocus";

export function Dialog(props: Omit<ModalProps, "opened" | "closeButtonProps">) {
  useReturnFocus();
  return <Modal opened closeButtonProps={{ "aria-label": "Close" }} {...props} />;
}
