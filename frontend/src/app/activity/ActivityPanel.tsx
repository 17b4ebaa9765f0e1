// The panel Activity: running and recent jobs of all hosts, over any page.
import { Drawer } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Filters } from "../../features/activity/Filters";
import { JobRow } from "../../features/activity/JobRow";
import { jobsQuery, type Filter } from "../../features/activity/queries";
import { devicesQuery } from "../../features/device/queries";
import { hostsQuery } from "../../features/host/queries";
import { Empty } from "../../shared/ui/Empty";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows } from "../../shared/ui/waiting/shapes";

interface Props {
  /** The job shown first; 0: none. */
  chosen: number;
  onClose: () => void;
}

function Jobs({ filter, chosen, hasHosts }: { filter: Filter; chosen: number; hasHosts: boolean }) {
  const jobs = useInfiniteQuery(jobsQuery(filter));
  return (
    <Panel query={jobs} skeleton={<Rows />}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return Object.keys(filter).length === 0 ? (
            <Empty title="No jobs yet">
              Running, waiting and ended jobs are listed here: agings, restores, imports and scans.
            </Empty>
          ) : (
            <p className="patina-quiet">No jobs match these filters.</p>
          );
        return (
          <>
            <ul className="patina-list" aria-label="Jobs">
              {items.map((job) => (
                <JobRow key={job.id} job={job} isChosen={job.id === chosen} hasHosts={hasHosts} />
              ))}
            </ul>
            <ShowOlder query={jobs} what="jobs" size="compact-sm" />
          </>
        );
      }}
    </Panel>
  );
}

export function ActivityPanel({ chosen, onClose }: Props) {
  const [filter, setFilter] = useState<Filter>({});
  const { data: hosts = [] } = useQuery(hostsQuery);
  const { data: devices = [] } = useQuery(devicesQuery);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Activity"
      closeButtonProps={{ "aria-label": "Close" }}
      transitionProps={{ duration: 0 }}
    >
      <Filters filter={filter} hosts={hosts} devices={devices} onChange={setFilter} />
      <Jobs filter={filter} chosen={chosen} hasHosts={hosts.length > 1} />
    </Drawer>
  );
}
