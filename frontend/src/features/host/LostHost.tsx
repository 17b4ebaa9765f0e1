// Says on runs that their host is silent, for as long as it is.
import { useQuery } from "@tanstack/react-query";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { HostMark } from "../../api/client";
import { formatTime } from "../../shared/units";
import classes from "./LostHost.module.css";
import { hostsQuery } from "./queries";

/** `host` is as the run was read; what the list of hosts says is newer. Null while it is heard. */
function useSilent(host: HostMark): HostMark | null {
  const hosts = useQuery(hostsQuery);
  const now = hosts.data?.find(({ id }) => id === host.id) ?? host;
  return now.is_healthy ? null : now;
}

const conjunction = new Intl.ListFormat("en-GB", { type: "conjunction" });

function fateOf(run_ids: readonly number[]): string {
  const listed = conjunction.format(run_ids.map(String));
  return run_ids.length === 1
    ? `run ${listed} goes on there, or resumes from its checkpoint when the host is back`
    : `runs ${listed} go on there, or resume from their checkpoints when the host is back`;
}

interface Props {
  host: HostMark;
  /** Those of its runs that the page shows. */
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
        Host {silent.name} has not been heard since <span title={since.exact}>{since.text}</span>;{" "}
        {fateOf(run_ids)}.
      </span>
    </p>
  );
}

/** Where there is room for a word only; the notice above says the rest. */
export function LostHostMark({ host }: { host: HostMark }) {
  const silent = useSilent(host);
  if (silent === null) return null;
  const since = formatTime(silent.heartbeat_at);
  return (
    <span className={classes.mark} title={`Not heard since ${since.exact}`}>
      host {silent.name} silent since {since.text}
    </span>
  );
}
