// The hosts with their health; each name links to the page Hosts.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Host } from "../../api/client";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import { StateMark } from "../../shared/ui/StateMark";
import classes from "./HostHealth.module.css";
import { isNearlyFull } from "./disk";
import { hostsQuery } from "./queries";

const LISTED_COUNT = 4; // more would leave no room for the rail's links

function Disk({ host }: { host: Host }) {
  const free = formatBytes(bytes(host.disk_free_bytes));
  const title = `${free.exact} of ${formatBytes(bytes(host.disk_bytes)).text} free for images`;
  return (
    <span title={title} className={classes.disk}>
      {isNearlyFull(host) ? (
        <StateMark tone="waiting">{`${free.text} left`}</StateMark>
      ) : (
        `disk: ${free.text} free`
      )}
    </span>
  );
}

function Summary({ hosts }: { hosts: readonly Host[] }) {
  const silent = hosts.filter(({ is_healthy }) => !is_healthy);
  const full = hosts.filter(isNearlyFull);
  return (
    <p className={classes.hosts}>
      <Link to="/hosts" className={classes.name ?? ""}>
        {hosts.length} hosts
      </Link>{" "}
      <StateMark tone={silent.length === 0 ? "good" : "bad"}>
        {silent.length === 0 ? "all online" : `${silent.length} silent`}
      </StateMark>
      {full.length > 0 && <StateMark tone="waiting">{`${full.length} nearly full`}</StateMark>}
    </p>
  );
}

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
  if (hosts.data.length > LISTED_COUNT) return <Summary hosts={hosts.data} />;
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
          {" · "}
          {host.is_healthy ? (
            <StateMark tone="good">online</StateMark>
          ) : (
            <StateMark tone="bad">silent</StateMark>
          )}
          {host.disk_bytes > 0 && <Disk host={host} />}
        </li>
      ))}
    </ul>
  );
}
