// Texts for images.
import type { ImageItem, IntakeKind } from "../../api/client";
import { workloads } from "../../shared/goal";

export const kinds: Record<IntakeKind, string> = {
  unaged: "un-aged: a fresh file system",
  foreign: "foreign: not aged by Patina",
  patina: "aged by Patina, and exported by its server",
};

const short: Record<IntakeKind, string> = { unaged: "un-aged", foreign: "foreign", patina: "aged by Patina" };

export const contentUnknown = "The import found bytes, but no file system and no partition table.";

/** Returns a short description of an image. */
export function describe(
  image: Pick<ImageItem, "profile_title" | "profile_version_number" | "workload" | "file_system" | "intake">,
): string {
  if (image.profile_title !== null) {
    return `${image.profile_title} version ${image.profile_version_number}, ${image.file_system}`;
  }
  if (image.workload !== null) return `${workloads[image.workload].label}, ${image.file_system}`;
  const kind = short[image.intake?.kind ?? "foreign"];
  return `Imported, ${kind}, ${image.file_system ?? image.intake?.holds ?? "blank"}`;
}
