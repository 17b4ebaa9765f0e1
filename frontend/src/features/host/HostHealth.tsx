// The hosts and whether they still report; each name leads to the page Hosts.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatTime } from "../../shared/units";
import { StateMark } from "../../shared/ui/StateMark";
import classes from "./HostHealth.module.css";
import { hostsQuery } from "./queries";

export function HostHealth() {
  const hosts = useQuery(hostsQuery);
  if (hosts.isError) return <StateMark tone="bad">Server does not answer</StateMark>;
  if (hosts.data === undefined) return null;
  if (hosts.data.length === 0)
    return (
      <Link to="/hosts" className={classes.name ?? ""}>
        No host reports yet
      </Link>
    );
  return (
    <ul className={classes.hosts} aria-label="Hosts">
      {hosts.data.map((host) => (
        <li
          key={host.id}
          title={`${host.kernel}, ${host.cores_count} cores, seen ${formatTime(host.heartbeat_at).exact}`}
        >
          <Link to="/hosts" className={classes.name ?? ""}>
            {host.name}
          </Link>
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
