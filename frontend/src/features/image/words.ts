// How images are called on the screen.
import type { ImageItem, IntakeKind } from "../../api/client";
import { workloads } from "../../shared/goal";

export const kinds: Record<IntakeKind, string> = {
  unaged: "un-aged: as fresh as it was made",
  foreign: "foreign: aged by something else than Patina",
};

/** What an image is, in a few words. */
export function describe(
  image: Pick<ImageItem, "profile_title" | "profile_version_number" | "workload" | "file_system" | "intake">,
): string {
  if (image.profile_title !== null) {
    return `${image.profile_title} version ${image.profile_version_number}, ${image.file_system}`;
  }
  if (image.workload !== null) return `${workloads[image.workload].label}, ${image.file_system}`;
  const kind = image.intake?.kind === "unaged" ? "un-aged" : "foreign";
  return `Imported, ${kind}, ${image.file_system ?? image.intake?.holds ?? "blank"}`;
}
