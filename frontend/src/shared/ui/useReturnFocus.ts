// Returns the focus to what opened a dialog.
import { useEffect, useState } from "react";

/** The focused element, or for an item of a menu, which closes, the menu's button. */
function openerNow(): Element | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  return button ? document.getElementById(button) : focused;
}

/** Returns focus once the dialog has left the page: Mantine's own return needs a change of `opened`. */
export function useReturnFocus() {
  const [opener] = useState(openerNow);
  useEffect(
    () => () => {
      // After the dialog's focus trap has ended.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected && document.activeElement === document.body)
          opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}
