// The current permission to notify; the user may change it in the browser's settings at any time.
import { useSyncExternalStore } from "react";

export type Permission = NotificationPermission | "unsupported";

const listeners = new Set<() => void>();

function currentPermission(): Permission {
  // Absent where a browser limits it to pages over HTTPS, and on some phones.
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** Requests permission: the browser asks its user once, and only after a click on the page. */
export async function askForPermission(): Promise<Permission> {
  const permission = "Notification" in globalThis ? await Notification.requestPermission() : "unsupported";
  listeners.forEach((listener) => listener());
  return permission;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The user returns to the page after a visit to the settings.
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
    "This browser shows notifications only of pages over HTTPS or on this machine. Use a webhook instead.",
};
