// Says on a run that its host is silent, for as long as it is.
import { useQuery } from "@tanstack/react-query";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { HostMark } from "../../api/client";
import { formatTime } from "../../shared/units";
import classes from "./LostHost.module.css";
import { hostsQuery } from "./queries";

/** `host` is as the run was read; what the list of hosts says is newer. */
export function LostHost({ host }: { host: HostMark }) {
  const hosts = useQuery(hostsQuery);
  const now = hosts.data?.find(({ id }) => id === host.id) ?? host;
  if (now.is_healthy) return null;
  const since = formatTime(now.heartbeat_at);
  return (
    <p role="status" className={classes.lost}>
      <IconPlugConnectedX size={20} aria-hidden />
      <span>
        Host {now.name} has not been heard since <span title={since.exact}>{since.text}</span>; the run goes
        on there, or resumes from its checkpoint when the host is back.
      </span>
    </p>
  );
}
