// A notice on runs whose host is silent.
import { useQuery } from "@tanstack/react-query";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { HostMark } from "../../api/client";
import { formatTime } from "../../shared/units";
import classes from "./LostHost.module.css";
import { hostsQuery } from "./queries";

/** Returns the host while it is silent, else null. The list of hosts is newer than `host`, which was read with the run. */
function useSilent(host: HostMark): HostMark | null {
  const hosts = useQuery(hostsQuery);
  const now = hosts.data?.find(({ id }) => id === host.id) ?? host;
  return now.is_healthy ? null : now;
}

const conjunction = new Intl.ListFormat("en-GB", { type: "conjunction" });

function fateOf(run_ids: readonly number[]): string {
  const listed = conjunction.format(run_ids.map(String));
  return run_ids.length === 1
    ? `run ${listed} continues there, or resumes from its checkpoint when the host is back`
    : `runs ${listed} continue there, or resume from their checkpoints when the host is back`;
}

interface Props {
  host: HostMark;
  /** The runs of the host on this page. */
  run_ids: readonly number[];
}

export function LostHost({ host, run_ids }: Props) {
  const silent = useSilent(host);
  if (silent === null) return null;
  const since = formatTime(silent.heartbeat_at);
  return (
    <p role="status" className={classes.lost}>
      <IconPlugConnectedX size={20} aria-hidden />
      <span>
        No heartbeat from host {silent.name} since <span title={since.exact}>{since.text}</span>;{" "}
        {fateOf(run_ids)}.
      </span>
    </p>
  );
}

/** A short mark beside a run's state; the notice above has the details. */
export function LostHostMark({ host }: { host: HostMark }) {
  const silent = useSilent(host);
  if (silent === null) return null;
  const since = formatTime(silent.heartbeat_at);
  return (
    <span className={classes.mark} title={`No heartbeat since ${since.exact}`}>
      host {silent.name} silent since {since.text}
    </span>
  );
}
