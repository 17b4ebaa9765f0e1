// Who is told when a run ends or needs somebody: this browser, and webhooks.
import { FollowedRuns } from "../../features/notice/FollowedRuns";
import { WebhookList } from "../../features/webhook/WebhookList";
import { PageHeader } from "../../shared/ui/PageHeader";

export function NotificationsPage() {
  return (
    <>
      <PageHeader title="Notifications">Who is told when a run ends or needs somebody.</PageHeader>
      <div className="patina-stack">
        <section aria-labelledby="browser">
          <div className="patina-section">
            <h2 id="browser">This browser</h2>
          </div>
          <FollowedRuns />
        </section>
        <section aria-labelledby="webhooks">
          <div className="patina-section">
            <h2 id="webhooks">Webhooks</h2>
            <span>For all runs and everybody who uses this server</span>
          </div>
          <WebhookList />
        </section>
      </div>
    </>
  );
}
