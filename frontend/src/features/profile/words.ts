// Pure: texts for profiles and their versions.
import type { HistogramName } from "../../api/client";

export const histogramTitles: Record<HistogramName, string> = { size: "Size", depth: "Depth", age: "Age" };

/** Reports whether the name follows the server's rule: valid in an address and on a command line. */
export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(name);
}

/** Returns a name made of a title: "My laptop, 2026" is my-laptop-2026. */
export function nameOfTitle(title: string): string {
  return title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 63)
    .replace(/-+$/, "");
}

/** Returns the first paragraph of a description without Markdown marks, for a card. */
export function plainOf(markdown: string): string {
  const [first = ""] = markdown.trim().split(/\n\s*\n/);
  return first
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[#>\s*-]+/gm, "")
    .replace(/[*_`]+/g, "")
    .replace(/\s+/g, " ");
}

export const exportFormats = [
  { format: "patina", title: "Patina JSON" },
  { format: "geriatrix", title: "Geriatrix zip" },
  { format: "csv", title: "CSV" },
] as const;

export function exportAddress(name: string, number: number, format: string): string {
  return `/api/v1/profiles/${encodeURIComponent(name)}/versions/${number}/export?format=${format}`;
}
