// Every run, newest first.
import { Button, Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RunRow } from "../../features/run/RunRow";
import { runsQuery } from "../../features/run/queries";
import { Empty } from "../../shared/ui/Empty";
import { PageHeader } from "../../shared/ui/PageHeader";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";

export function RunsPage() {
  const runs = useInfiniteQuery(runsQuery);
  return (
    <>
      <PageHeader title="Runs">One aging each: a profile, a device, a fullness, a seed.</PageHeader>
      <Panel query={runs} skeleton={<Skeleton height={320} />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <Empty title="No run yet" action={<LinkButton to="/devices">Choose a device</LinkButton>}>
              A run starts with a device: choose one and age it.
            </Empty>
          ) : (
            <>
              <ul className="patina-list" aria-label="Runs">
                {pages
                  .flatMap((page) => page.items)
                  .map((run) => (
                    <RunRow key={run.id} run={run} />
                  ))}
              </ul>
              {runs.hasNextPage && (
                <Button
                  variant="default"
                  mt="md"
                  loading={runs.isFetchingNextPage}
                  onClick={() => void runs.fetchNextPage()}
                >
                  Show older runs
                </Button>
              )}
            </>
          )
        }
      </Panel>
    </>
  );
}
