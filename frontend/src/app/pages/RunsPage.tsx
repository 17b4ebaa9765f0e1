// Every run, newest first, with a choice of runs to compare.
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

/** Keeps the chosen runs in the address: a reload keeps them, and the page of a run links here with itself. */
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
      <PageHeader title="Runs">Each run ages one device with a profile, a fullness and a seed.</PageHeader>
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
