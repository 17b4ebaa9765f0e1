// Texts for webhooks and their deliveries.
import type { Delivery, NoticeKind } from "../../api/client";
import { nameOf } from "../../shared/job";
import type { Tone } from "../../shared/ui/StateMark";

export const kinds: readonly { kind: NoticeKind; title: string }[] = [
  { kind: "succeeded", title: "A job succeeded" },
  { kind: "failed", title: "A job failed" },
  { kind: "needs_you", title: "A job needs attention" },
  { kind: "canceled", title: "A job was canceled" },
];

const shortOf: Record<NoticeKind, string> = {
  succeeded: "succeeded",
  failed: "failed",
  needs_you: "needs attention",
  canceled: "was canceled",
};

export const toneOf: Record<Delivery["state"], Tone> = {
  pending: "waiting",
  delivered: "good",
  failed: "bad",
};

/** When a job succeeded, failed or needs attention */
export function whenOf(chosen: readonly NoticeKind[]): string {
  const words = kinds.filter(({ kind }) => chosen.includes(kind)).map(({ kind }) => shortOf[kind]);
  const last = words.pop() ?? "";
  return `When a job ${words.length === 0 ? last : `${words.join(", ")} or ${last}`}`;
}

/** The subject of a delivery: Run 42 failed */
export function subjectOf(delivery: Delivery): string {
  const [job = "", what] = delivery.type.split(".");
  const kind = kinds.find((one) => one.kind === what)?.kind;
  if (kind === undefined || delivery.job_id === null) return "Test message";
  return `${nameOf({ kind: job, id: delivery.job_id })} ${shortOf[kind]}`;
}

/** The outcome of its tries, as a sentence. */
export function outcomeOf(delivery: Delivery): string {
  const said = delivery.last_message ?? "Not sent yet";
  const tries = delivery.tries_count === 1 ? "1 try" : `${delivery.tries_count} tries`;
  return delivery.tries_count === 0 ? said : `${said}, ${tries}`;
}
