// The hosts and whether they still report.
import { useQuery } from "@tanstack/react-query";
import { formatTime } from "../../shared/units";
import { StateMark } from "../../shared/ui/StateMark";
import classes from "./HostHealth.module.css";
import { hostsQuery } from "./queries";

export function HostHealth() {
  const hosts = useQuery(hostsQuery);
  if (hosts.isError) return <StateMark tone="bad">Server does not answer</StateMark>;
  if (hosts.data === undefined) return null;
  if (hosts.data.length === 0) return <StateMark tone="waiting">No host reports yet</StateMark>;
  return (
    <ul className={classes.hosts} aria-label="Hosts">
      {hosts.data.map((host) => (
        <li
          key={host.id}
          title={`${host.kernel}, ${host.cores_count} cores, seen ${formatTime(host.heartbeat_at).exact}`}
        >
          <span className={classes.name}>{host.name}</span>
          {host.is_healthy ? (
            <StateMark tone="good">reports</StateMark>
          ) : (
            <StateMark tone="bad">{`silent since ${formatTime(host.heartbeat_at).text}`}</StateMark>
          )}
        </li>
      ))}
    </ul>
  );
}
