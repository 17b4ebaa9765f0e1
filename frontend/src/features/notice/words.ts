// Texts for notices.
import type { Notice } from "../../api/client";

const endings: Record<Notice["kind"], string> = {
  succeeded: "succeeded",
  failed: "failed",
  canceled: "was canceled",
  needs_you: "needs attention",
};

/** Returns the title of a notice: Run 42 succeeded. */
export function titleOf(notice: Notice): string {
  return `Run ${notice.job_id} ${endings[notice.kind]}`;
}
