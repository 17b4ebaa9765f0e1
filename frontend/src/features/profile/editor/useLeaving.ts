// Leaving an unsaved draft is asked about first; closing the tab as well.
import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import type { DraftStore } from "./draft/store";

/** `leaving` is there while the user is asked: go on with what was clicked, or stay. */
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
