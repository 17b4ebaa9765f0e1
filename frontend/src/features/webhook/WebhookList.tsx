// The list of webhooks; while it is empty, a button that adds the first.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty } from "../../shared/ui/Empty";
import { Panel } from "../../shared/ui/Panel";
import { AddWebhook } from "./AddWebhook";
import { webhooksQuery } from "./queries";
import { WebhookCard } from "./WebhookCard";
import { Rows } from "../../shared/ui/waiting/shapes";

export function WebhookList() {
  const webhooks = useQuery(webhooksQuery);
  const [isAdding, setAdding] = useState(false);
  const add = <Button onClick={() => setAdding(true)}>Add a webhook</Button>;
  return (
    <>
      <AddWebhook isOpen={isAdding} onClose={() => setAdding(false)} />
      <Panel query={webhooks} skeleton={<Rows count={2} height={80} />}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No webhook yet" action={add}>
              The server posts to a webhook&apos;s address when a run ends or needs attention: a chat, a pager
              or your own script.
            </Empty>
          ) : (
            <div className="patina-stack">
              {items.map((webhook) => (
                <WebhookCard key={webhook.id} webhook={webhook} />
              ))}
              <div>{add}</div>
            </div>
          )
        }
      </Panel>
    </>
  );
}
