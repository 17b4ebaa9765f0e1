// Whether this browser lets the page notify, as it is now: it may be changed in its settings at any time.
import { useSyncExternalStore } from "react";

export type Permission = NotificationPermission | "unsupported";

const listeners = new Set<() => void>();

function currentPermission(): Permission {
  // Absent from browsers that keep it to pages over HTTPS, and from some phones.
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** The browser asks its user once, and only where the page was clicked. */
export async function askForPermission(): Promise<Permission> {
  const permission = "Notification" in globalThis ? await Notification.requestPermission() : "unsupported";
  listeners.forEach((listener) => listener());
  return permission;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Whoever went to the settings comes back to the page.
  globalThis.addEventListener("focus", listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener("focus", listener);
  };
}

export function usePermission(): Permission {
  return useSyncExternalStore(subscribe, currentPermission);
}

export const whatToDo: Record<Permission, string | null> = {
  granted: null,
  default: null,
  denied:
    "This browser blocks notifications of this page. Allow them in its settings for this site, beside the address, and click again.",
  unsupported:
    "This browser shows notifications only of pages over HTTPS or on this machine. A webhook tells you all the same.",
};
