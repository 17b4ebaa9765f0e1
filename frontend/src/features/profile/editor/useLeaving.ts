// Asks for confirmation before the user leaves an unsaved draft or closes the tab.
import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import type { DraftStore } from "./draft/store";

/** `leaving` is set while the dialog is open: continue the navigation, or stay. */
export function useLeaving(store: DraftStore) {
  useEffect(() => {
    window.addEventListener("pagehide", store.flush);
    return () => {
      window.removeEventListener("pagehide", store.flush);
      store.flush();
    };
  }, [store]);
  const blocker = useBlocker({
    shouldBlockFn: () => store.isChanged(),
    enableBeforeUnload: () => store.isChanged(),
    withResolver: true,
  });
  return blocker.status === "blocked" ? { goOn: blocker.proceed, stay: blocker.reset } : null;
}
