// Every trial, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { TrialRow } from "../../features/trial/TrialRow";
import { trialsQuery } from "../../features/trial/queries";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows } from "../../shared/ui/waiting/shapes";

export function TrialsPage() {
  const trials = useInfiniteQuery(trialsQuery);
  return (
    <>
      <PageHeader
        title="Trials"
        action={
          <May needs="member">
            <LinkButton to="/trials/new">New trial</LinkButton>
          </May>
        }
      >
        What aging did: workloads on images, restored before each repetition.
      </PageHeader>
      <Panel query={trials} skeleton={<Rows />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <Empty
              title="No trial yet"
              action={
                <May needs="member">
                  <LinkButton to="/trials/new">New trial</LinkButton>
                </May>
              }
            >
              A trial runs workloads on images and their unaged twins, rolls back after each repetition, and
              shows the difference.
            </Empty>
          ) : (
            <>
              <ul className="patina-list" aria-label="Trials">
                {pages
                  .flatMap((page) => page.items)
                  .map((trial) => (
                    <TrialRow key={trial.id} trial={trial} />
                  ))}
              </ul>
              <ShowOlder query={trials} what="trials" mt="md" />
            </>
          )
        }
      </Panel>
    </>
  );
}
