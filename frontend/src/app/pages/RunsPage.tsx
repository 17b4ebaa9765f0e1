// The list of runs. The address contains its search, and the runs chosen for a comparison.
import { Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { devicesQuery } from "../../features/device/queries";
import { hostsQuery } from "../../features/host/queries";
import { NotifyMe } from "../../features/notice/NotifyMe";
import { profilesQuery } from "../../features/profile/queries";
import { ChosenRuns } from "../../features/run/compare/ChosenRuns";
import { RUNS_LIMIT, runIdsOf } from "../../features/run/compare/runIds";
import { RunFilters, type Options } from "../../features/run/list/RunFilters";
import { RunsTable } from "../../features/run/list/RunsTable";
import { searchOf, type RunsSearch } from "../../features/run/list/search";
import { conditionsCount, queryOf, withoutConditions } from "../../features/run/list/words";
import { runsQuery } from "../../features/run/queries";
import { isEnded } from "../../shared/job";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows } from "../../shared/ui/waiting/shapes";

/** Keeps search and choice in the address: a reload keeps them, and the page of a run links here with itself. */
function useAddress() {
  const address = useSearch({ from: "/runs" });
  const navigate = useNavigate();
  const search = searchOf(address);
  const { chosen: text = "" } = address;
  const asked = runIdsOf(text);
  const chosen = asked.kind === "no number" ? [] : asked.ids.slice(0, RUNS_LIMIT);
  const choose = (ids: readonly number[]) =>
    void navigate({
      to: "/runs",
      search: { ...search, ...(ids.length > 0 && { chosen: ids.join() }) },
      replace: true,
      resetScroll: false,
    });
  // The back button undoes a choice of runs to show.
  const change = (changed: RunsSearch) =>
    void navigate({
      to: "/runs",
      search: { ...changed, ...(chosen.length > 0 && { chosen: chosen.join() }) },
      resetScroll: false,
    });
  return { search, change, choice: { chosen, limit: RUNS_LIMIT, choose } };
}

function useOptions(): Options {
  const { data: profiles = [] } = useQuery(profilesQuery);
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: hosts = [] } = useQuery(hostsQuery);
  return useMemo(
    () => ({
      profile: profiles.map(({ name, title }) => ({ value: name, label: title })),
      device_id: devices.map(({ id, path, stable_id }) => ({ value: String(id), label: path ?? stable_id })),
      host_id: hosts.map(({ id, name }) => ({ value: String(id), label: name })),
    }),
    [profiles, devices, hosts],
  );
}

export function RunsPage() {
  const { search, change, choice } = useAddress();
  const runs = useInfiniteQuery({ ...runsQuery(queryOf(search)), placeholderData: keepPreviousData });
  const options = useOptions();
  const { data: known } = useInfiniteQuery({ ...runsQuery({}), refetchInterval: false });
  const tags = [
    ...new Set(known?.pages.flatMap(({ items }) => items.flatMap((run) => run.tags)) ?? []),
  ].toSorted();
  return (
    <>
      <PageHeader title="Runs">Each run ages one device with a profile, a fullness and a seed.</PageHeader>
      <RunFilters search={search} options={options} suggestions={{ tag: tags }} onChange={change} />
      <Panel query={runs} skeleton={<Rows />}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length > 0)
            return (
              <>
                <RunsTable
                  runs={items}
                  search={search}
                  onChange={change}
                  choice={choice}
                  isBusy={runs.isPlaceholderData}
                  bell={(run) => (isEnded(run.state) ? null : <NotifyMe run_id={run.id} isSmall />)}
                />
                <ShowOlder query={runs} what="runs" mt="md" />
                <ChosenRuns
                  chosen={choice.chosen}
                  isArchive={search.archived ?? false}
                  onClear={() => choice.choose([])}
                />
              </>
            );
          return conditionsCount(search) > 0 ? (
            <Empty
              title="No run matches"
              action={<Button onClick={() => change(withoutConditions(search))}>Show all runs</Button>}
            >
              A run meets one of the values of each filter. Clear a filter, or choose more of its values.
            </Empty>
          ) : (
            <Empty title="No run yet" action={<LinkButton to="/devices">Choose a device</LinkButton>}>
              A run starts with a device: choose one and age it.
            </Empty>
          );
        }}
      </Panel>
    </>
  );
}
