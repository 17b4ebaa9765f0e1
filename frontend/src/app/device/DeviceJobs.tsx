// The jobs of a device, of every kind, the newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Device } from "../../api/client";
import { JobRow } from "../../features/activity/JobRow";
import { jobsQuery } from "../../features/activity/queries";
import { nameOf } from "../../shared/device";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows } from "../../shared/ui/waiting/shapes";

export function DeviceJobs({ device }: { device: Device }) {
  const jobs = useInfiniteQuery(jobsQuery({ device_id: device.id }));
  return (
    <Panel query={jobs} skeleton={<Rows count={3} />}>
      {({ pages }) =>
        pages[0]?.items.length === 0 ? (
          <p className="patina-quiet">Nothing has happened to {nameOf(device)} yet.</p>
        ) : (
          <>
            <ul className="patina-list" aria-label={`Jobs on ${nameOf(device)}`}>
              {pages
                .flatMap(({ items }) => items)
                .map((job) => (
                  <JobRow key={job.id} job={job} isChosen={false} hasHosts={false} />
                ))}
            </ul>
            <ShowOlder query={jobs} what="jobs" size="compact-sm" />
          </>
        )
      }
    </Panel>
  );
}
