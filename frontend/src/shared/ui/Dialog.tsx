// A dialog that is open while it is on the page. Focus returns to what opened it.
import { Modal } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";

interface Props {
  title: string;
  size?: number;
  onClose: () => void;
  children: ReactNode;
}

/** Returns focus once the dialog has left the page: Mantine's own return needs a change of `opened`. */
function useReturnFocus() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the trap of the dialog has let go.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected && document.activeElement === document.body)
          opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
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
