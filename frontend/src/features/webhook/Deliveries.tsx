// The recent deliveries of a webhook and their outcomes.
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Delivery, Webhook } from "../../api/client";
import { placeOf } from "../../shared/job";
import { Exact } from "../../shared/ui/Exact";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { formatTime } from "../../shared/units";
import classes from "./Deliveries.module.css";
import { deliveriesQuery, useRedeliver } from "./queries";
import { outcomeOf, subjectOf, toneOf } from "./words";
import { Rows } from "../../shared/ui/waiting/shapes";

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const redeliver = useRedeliver(webhook);
  const subject = subjectOf(delivery);
  return (
    <li className={classes.row} aria-label={subject}>
      {delivery.job_id === null ? (
        <span>{subject}</span>
      ) : (
        <Link {...placeOf(delivery.type.split(".")[0] ?? "", delivery.job_id)} className="patina-link">
          {subject}
        </Link>
      )}
      <StateMark tone={toneOf[delivery.state]}>{delivery.state}</StateMark>
      <span className={classes.quiet}>
        <Exact value={formatTime(delivery.finished_at ?? delivery.created_at)} />. {outcomeOf(delivery)}
        {delivery.next_try_at !== null && delivery.tries_count > 0 && (
          <>
            ; next <Exact value={formatTime(delivery.next_try_at)} />
          </>
        )}
      </span>
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.again ?? ""}
        loading={redeliver.isPending}
        disabled={!webhook.is_enabled}
        onClick={() => redeliver.mutate(delivery)}
      >
        Send again
      </Button>
      {redeliver.isError && <RefusalNotice error={redeliver.error} />}
    </li>
  );
}

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const deliveries = useInfiniteQuery(deliveriesQuery(webhook.id));
  return (
    <div>
      <h3 className={classes.heading}>Last deliveries</h3>
      <Panel query={deliveries} skeleton={<Rows count={2} height={32} />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <p className="patina-quiet">No deliveries yet. Send a test to check that it arrives.</p>
          ) : (
            <>
              <ul className="patina-list" aria-label={`Deliveries of ${webhook.title}`}>
                {pages
                  .flatMap(({ items }) => items)
                  .map((delivery) => (
                    <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
                  ))}
              </ul>
              <ShowOlder query={deliveries} what="deliveries" size="compact-sm" />
            </>
          )
        }
      </Panel>
    </div>
  );
}
