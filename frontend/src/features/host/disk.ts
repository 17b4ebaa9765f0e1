// The disk of a host, which has its images.
import type { Host } from "../../api/client";

const SCARCE = 0.05;

/** Reports whether little of the disk is free. A host that has not reported its disk is not judged. */
export function isNearlyFull({ disk_bytes, disk_free_bytes }: Host): boolean {
  return disk_bytes > 0 && disk_free_bytes < SCARCE * disk_bytes;
}
