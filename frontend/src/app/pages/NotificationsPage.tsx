// Receivers of notices when a run ends or needs attention: this browser, and webhooks.
import { FollowedRuns } from "../../features/notice/FollowedRuns";
import { WebhookList } from "../../features/webhook/WebhookList";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";

export function NotificationsPage() {
  return (
    <>
      <PageHeader title="Notifications">
        Receive a notification when a run ends or needs attention.
      </PageHeader>
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
            <span>For all runs and all users of this server</span>
          </div>
          <May needs="operator" otherwise={<p className="patina-quiet">Operators manage the webhooks.</p>}>
            <WebhookList />
          </May>
        </section>
      </div>
    </>
  );
}
