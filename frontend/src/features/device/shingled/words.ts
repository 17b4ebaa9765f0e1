// What a shingled disk is, in one line.
import type { Shingle } from "../../../api/client";
import { bytes, formatBytes } from "../../../shared/units";
import type { Interface } from "./draft";

export const interfaceLabels: Record<Interface, string> = {
  caveat: "Caveat-Scriptor",
  "strict-append": "Strict append",
};

/** Returns what a shingled disk is: Caveat-Scriptor, DID 16, DNOR 0, policy best. */
export function wordsOf(shingle: Shingle): string {
  const begin = `${interfaceLabels[shingle.interface]}, DID ${shingle.did_blocks}`;
  if (shingle.interface === "caveat")
    return `${begin}, DNOR ${shingle.dnor_blocks}, policy ${shingle.policy}`;
  return `${begin}, bands of ${formatBytes(bytes(shingle.band_bytes)).text}, cleaner ${shingle.clean}`;
}
