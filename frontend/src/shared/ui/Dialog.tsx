// A dialog that is open while it is on the page. Focus returns to what opened it.
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useReturnFocus } from "./useReturnFocus";

interface Props {
  title: string;
  size?: number;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ title, size, onClose, children }: Props) {
  useReturnFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": "Close" }}
      {...(size !== undefined && { size })}
    >
      {children}
    </Modal>
  );
}
