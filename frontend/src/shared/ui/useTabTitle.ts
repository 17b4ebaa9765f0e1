// The title of the tab, and its icon as the progress of a run.
import { useEffect } from "react";

export function useTabTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Patina`;
  }, [title]);
}

/** Returns the tab's icon as a gauge. */
function iconOf(progress_fraction: number): string {
  const height = Math.round(26 * Math.min(1, Math.max(0, progress_fraction)));
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="1" y="1" width="30" height="30" rx="6" fill="#1c1a17"/>` +
    `<rect x="6" y="${29 - height}" width="20" height="${height}" fill="#6fc3b0"/>` +
    `<path d="M4 3.5h24" stroke="#d98e66" stroke-width="2.5"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Shows the progress as the tab's icon; null restores the product's icon. */
export function useTabProgress(progress_fraction: number | null) {
  const icon = progress_fraction === null ? null : iconOf(progress_fraction);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link === null || icon === null) return;
    const before = link.href;
    link.href = icon;
    return () => {
      link.href = before;
    };
  }, [icon]);
}
