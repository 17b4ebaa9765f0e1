// Every run, newest first; some of them are chosen here to be compared.
import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChosenRuns } from "../../features/run/compare/ChosenRuns";
import { RUNS_LIMIT, runIdsOf } from "../../features/run/compare/runIds";
import { NotifyMe } from "../../features/notice/NotifyMe";
import { isEnded } from "../../shared/job";
import { RunRow } from "../../features/run/RunRow";
import { runsQuery } from "../../features/run/queries";
import { Empty } from "../../shared/ui/Empty";
import { PageHeader } from "../../shared/ui/PageHeader";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";

/** Which runs are chosen stands in the address: a reload keeps them, and a run's page chooses itself. */
function useChosen() {
  const { chosen: text = "" } = useSearch({ from: "/runs" });
  const navigate = useNavigate();
  const asked = runIdsOf(text);
  const chosen = asked.kind === "no number" ? [] : asked.ids.slice(0, RUNS_LIMIT);
  const choose = (ids: readonly number[]) =>
    void navigate({
      to: "/runs",
      search: ids.length === 0 ? {} : { chosen: ids.join() },
      replace: true,
      resetScroll: false,
    });
  return { chosen, choose };
}

export function RunsPage() {
  const runs = useInfiniteQuery(runsQuery);
  const { chosen, choose } = useChosen();
  const toggle = (id: number) =>
    choose(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
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
              <ChosenRuns chosen={chosen} onClear={() => choose([])} />
              <ul className="patina-list" aria-label="Runs">
                {pages
                  .flatMap((page) => page.items)
                  .map((run) => {
                    const isChosen = chosen.includes(run.id);
                    return (
                      <RunRow
                        key={run.id}
                        run={run}
                        isChosen={isChosen}
                        mayChoose={isChosen || chosen.length < RUNS_LIMIT}
                        onChoose={() => toggle(run.id)}
                        bell={isEnded(run.state) ? null : <NotifyMe run_id={run.id} isSmall />}
                      />
                    );
                  })}
              </ul>
              <ShowOlder query={runs} what="runs" mt="md" />
            </>
          )
        }
      </Panel>
    </>
  );
}
