// Which devices a run may be started on.
import type { Device } from "../../api/client";

export function mayAge({ state, is_usable }: Device): boolean {
  return is_usable && (state === "available" || state === "busy");
}
