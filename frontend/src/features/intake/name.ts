// Derives the name of an image from the name of its file.
import { LONGEST_IMAGE_NAME } from "../../shared/imageName";

const PACKINGS = /\.(tar|oci|img|raw|zst|qcow2?|dd|bin)$/i;

/** Returns the name without suffixes of packing and without characters that a name may not contain. */
export function nameOfFile(file_name: string): string {
  let name = file_name;
  while (PACKINGS.test(name)) name = name.replace(PACKINGS, "");
  return name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, LONGEST_IMAGE_NAME);
}
