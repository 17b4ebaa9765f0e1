// A webhook: its address, the kinds of its notices, and its deliveries.
import { Button, Group } from "@mantine/core";
import type { Webhook } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { Deliveries } from "./Deliveries";
import { usePing, useSwitchWebhook } from "./queries";
import { RemoveWebhook } from "./RemoveWebhook";
import classes from "./WebhookCard.module.css";
import { whenOf } from "./words";

export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const ping = usePing(webhook);
  const change = useSwitchWebhook(webhook);
  const { title, is_enabled } = webhook;
  return (
    <article className={classes.card} aria-label={title}>
      <div>
        <div className={classes.head}>
          <h2>{title}</h2>
          <StateMark tone={is_enabled ? "good" : "stopped"}>{is_enabled ? "on" : "off"}</StateMark>
        </div>
        <p className={`mono ${classes.address ?? ""}`}>{webhook.url}</p>
        <p className="patina-quiet">{whenOf(webhook.kinds)}</p>
        {webhook.disabled_reason !== null && <p>{webhook.disabled_reason}</p>}
      </div>
      <Group gap="xs">
        {is_enabled && (
          <Button variant="default" loading={ping.isPending} onClick={() => ping.mutate(undefined)}>
            Send a test
          </Button>
        )}
        <Button
          variant={is_enabled ? "default" : "filled"}
          loading={change.isPending}
          onClick={() => change.mutate(!is_enabled)}
        >
          {is_enabled ? `Switch ${title} off` : `Switch ${title} on`}
        </Button>
        <RemoveWebhook webhook={webhook} />
      </Group>
      {ping.isError && <RefusalNotice error={ping.error} />}
      {change.isError && <RefusalNotice error={change.error} />}
      <Deliveries webhook={webhook} />
    </article>
  );
}
