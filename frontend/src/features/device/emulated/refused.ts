// Places the server's refusal of a new emulated disk at the fields of its form.
import { refusedBy } from "../refused";
import type { Field, Problems } from "./draft";

const fieldsOfCodes: Partial<Record<string, Field>> = {
  sandbox_quota_exceeded: "limit",
  memory_too_small: "limit",
  disk_model_unknown: "model",
  disk_model_too_small: "size",
};
const fieldsOfNames: Partial<Record<string, Field>> = {
  size_bytes: "size",
  name: "name",
  "emulation.model": "model",
  "emulation.raid.disks_count": "disks_count",
  "emulation.stretch_pieces_count": "pieces_count",
  "emulation.time": "model",
  "emulation.seed": "seed",
  "emulation.compressible_fraction": "compressible_percent",
  "emulation.available_bytes": "limit",
};

/** Returns the server's refusal by field; null where it is not about fields that the form has. */
export function refusedFields(error: unknown): Problems | null {
  return refusedBy(error, fieldsOfCodes, fieldsOfNames);
}
