// The words of webhooks and their deliveries.
import type { Delivery, NoticeKind } from "../../api/client";
import type { Tone } from "../../shared/ui/StateMark";

export const kinds: readonly { kind: NoticeKind; title: string }[] = [
  { kind: "succeeded", title: "A run succeeded" },
  { kind: "failed", title: "A run failed" },
  { kind: "needs_you", title: "A run needs somebody" },
  { kind: "canceled", title: "A run was canceled" },
];

const shortOf: Record<NoticeKind, string> = {
  succeeded: "succeeded",
  failed: "failed",
  needs_you: "needs somebody",
  canceled: "was canceled",
};

export const toneOf: Record<Delivery["state"], Tone> = {
  pending: "waiting",
  delivered: "good",
  failed: "bad",
};

/** When a run succeeded, failed or needs somebody */
export function whenOf(chosen: readonly NoticeKind[]): string {
  const words = kinds.filter(({ kind }) => chosen.includes(kind)).map(({ kind }) => shortOf[kind]);
  const last = words.pop() ?? "";
  return `When a run ${words.length === 0 ? last : `${words.join(", ")} or ${last}`}`;
}

/** What a delivery tells of: Run 42 failed */
export function subjectOf(delivery: Delivery): string {
  const kind = kinds.find((one) => `run.${one.kind}` === delivery.type)?.kind;
  if (kind === undefined || delivery.run_id === null) return "Test message";
  return `Run ${delivery.run_id} ${shortOf[kind]}`;
}

/** What became of its tries, in a sentence. */
export function outcomeOf(delivery: Delivery): string {
  const said = delivery.last_message ?? "Not sent yet";
  const tries = delivery.tries_count === 1 ? "1 try" : `${delivery.tries_count} tries`;
  return delivery.tries_count === 0 ? said : `${said}, ${tries}`;
}
