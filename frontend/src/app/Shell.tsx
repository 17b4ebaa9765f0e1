// The navigation rail and the page beside it; on a phone the rail is a bar below.
import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import {
  IconBell,
  IconChartBar,
  IconChartHistogram,
  IconDatabase,
  IconMoon,
  IconPlayerPlay,
  IconServer2,
  IconSun,
} from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { client, read } from "../api/client";
import { HostHealth } from "../features/host/HostHealth";
import { Announcer } from "../features/notice/Announcer";
import { Activity, OpenActivity } from "./activity/Activity";
import classes from "./Shell.module.css";

const versionQuery = queryOptions({
  queryKey: ["version"],
  queryFn: () => read(client.GET("/version")),
  staleTime: Infinity,
});

const places = [
  { to: "/devices", title: "Devices", Icon: IconServer2 },
  { to: "/profiles", title: "Profiles", Icon: IconChartHistogram },
  { to: "/runs", title: "Runs", Icon: IconPlayerPlay },
  { to: "/images", title: "Images", Icon: IconDatabase },
  { to: "/trials", title: "Trials", Icon: IconChartBar },
] as const;

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <Tooltip label={`Switch to ${other}`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.toggle ?? ""}
        aria-label={`Switch to ${other}`}
        onClick={() => setColorScheme(other)}
      >
        {scheme === "dark" ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

function Wordmark() {
  return (
    <Link to="/devices" className={classes.wordmark ?? ""} aria-label="Patina, home">
      <svg viewBox="0 0 32 24" width="28" height="21" aria-hidden>
        <path d="M2 24v-8h6v8zM10 24V9h6v15zM18 24V4h6v20zM26 24V14h5v10z" fill="var(--patina-observed)" />
        <path d="M0 14h9V7h8V2h8v9h7" fill="none" stroke="var(--patina-target)" strokeWidth="2" />
      </svg>
      <span>Patina</span>
    </Link>
  );
}

/** States on every page who can reach a server without accounts. */
function Notice() {
  const { data } = useQuery(versionQuery);
  const listens_on = data?.listens_on ?? null;
  return (
    <p className={classes.notice}>
      {listens_on === null
        ? "No accounts yet: this server listens on loopback only."
        : `No accounts yet: anyone who can reach ${listens_on} has full access.`}
    </p>
  );
}

export function Shell() {
  return (
    <div className={classes.shell}>
      <a href="#page" className={classes.skip}>
        Skip to the page
      </a>
      <nav className={classes.side} aria-label="Patina">
        <Wordmark />
        <div className={classes.rail}>
          {places.map(({ to, title, Icon }) => (
            <Link key={to} to={to} className={classes.place ?? ""} activeProps={{ "aria-current": "page" }}>
              <Icon size={20} stroke={1.6} aria-hidden />
              <span>{title}</span>
            </Link>
          ))}
        </div>
      </nav>
      <main id="page" className={classes.page} tabIndex={-1}>
        <div className={classes.content}>
          <Outlet />
        </div>
      </main>
      <footer className={classes.foot}>
        <HostHealth />
        <OpenActivity className={classes.aside ?? ""} />
        <Link to="/notifications" className={classes.aside ?? ""} activeProps={{ "aria-current": "page" }}>
          <IconBell size={18} stroke={1.6} aria-hidden />
          Notifications
        </Link>
        <Notice />
        <SchemeToggle />
      </footer>
      <Announcer />
      <Activity />
    </div>
  );
}
