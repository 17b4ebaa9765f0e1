// Returns the focus to what opened a dialog.
import { useEffect, useState } from "react";

/** Returns focus once the dialog has left the page: Mantine's own return needs a change of `opened`. */
export function useReturnFocus() {
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
