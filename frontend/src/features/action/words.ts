// Texts for actions.
import type { Action, ActionCreate, Device, Holding, TrafficRate } from "../../api/client";

export const titles: Record<Action["kind"], string> = {
  restore: "Restoring.",
  verify: "Comparing.",
  trace: "Tracing.",
  rollback: "Rolling back.",
  capture: "Capturing.",
};

/** An action on what a device holds that opens a dialog first. */
export interface AskedAction {
  device: Device;
  holding: Holding;
  /** The description of the action. */
  title: string;
  isPending: boolean;
  /** Whether it is the next sensible step. */
  isNext: boolean;
}

/** Returns one key per click: a double click, or a retry after a lost answer, starts one action. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) =>
    word.toString(16).padStart(8, "0"),
  ).join("");
}

export function requestOf(
  kind: ActionCreate["kind"],
  device: Device,
  {
    image_id = null,
    typed = null,
    accepts_unknown_content = false,
    image_name = null,
  }: {
    image_id?: number | null;
    typed?: string | null;
    accepts_unknown_content?: boolean;
    image_name?: string | null;
  } = {},
): ActionCreate {
  const confirmation = { stable_id: device.stable_id, size_bytes: device.size_bytes, typed };
  return { kind, device_id: device.id, image_id, accepts_unknown_content, image_name, confirmation };
}

/** Returns the message as a sentence: what follows it begins another one. */
export function sentenceOf(message: string): string {
  return message === "" || /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** The traffic of the job that holds the device; null while the last measured one is of a job before. */
export function trafficOf({
  traffic,
  active_lease,
}: Pick<Device, "traffic" | "active_lease">): TrafficRate | null {
  if (traffic === null || active_lease === null) return null;
  return Date.parse(traffic.measured_at) < Date.parse(active_lease.acquired_at) ? null : traffic;
}
