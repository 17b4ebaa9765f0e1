// The navigation rail and the page beside it; on a phone the rail is a bar below.
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import {
  IconBell,
  IconChartBar,
  IconChartDots,
  IconChartHistogram,
  IconDatabase,
  IconHelp,
  IconMoon,
  IconPlayerPlay,
  IconServer2,
  IconSun,
  IconUser,
  IconUsers,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { HostHealth } from "../features/host/HostHealth";
import { Announcer } from "../features/notice/Announcer";
import { later } from "../shared/later";
import { meQuery } from "../shared/me";
import { Mark } from "../shared/ui/Mark";
import { Activity, OpenActivity } from "./activity/Activity";
import { OpenPalette } from "./palette/OpenPalette";
import classes from "./Shell.module.css";
import { Soon, TextLines } from "../shared/ui/waiting/shapes";

const NoOwner = later(async () => (await import("../features/account/SignIn")).NoOwner);
const SignIn = later(async () => (await import("../features/account/SignIn")).SignIn);

const places = [
  { to: "/devices", title: "Devices", Icon: IconServer2 },
  { to: "/profiles", title: "Profiles", Icon: IconChartHistogram },
  { to: "/runs", title: "Runs", Icon: IconPlayerPlay },
  { to: "/images", title: "Images", Icon: IconDatabase },
  { to: "/trials", title: "Trials", Icon: IconChartBar },
  { to: "/studies", title: "Studies", Icon: IconChartDots },
] as const;

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      className={classes.toggle ?? ""}
      aria-label={`Switch to ${other}`}
      title={`Switch to ${other}`}
      onClick={() => setColorScheme(other)}
    >
      {scheme === "dark" ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}

function Wordmark() {
  return (
    <Link to="/devices" className={classes.wordmark ?? ""} aria-label="Patina, home">
      <Mark />
      <span>Patina</span>
    </Link>
  );
}

/** Links to the own account, and for owners to all accounts. */
function Accounts() {
  const { data: me } = useQuery(meQuery);
  if (me?.account == null) return null;
  return (
    <>
      {me.role === "owner" && (
        <Link to="/people" className={classes.aside ?? ""} activeProps={{ "aria-current": "page" }}>
          <IconUsers size={18} stroke={1.6} aria-hidden />
          People
        </Link>
      )}
      <Link
        to="/account"
        className={classes.aside ?? ""}
        activeProps={{ "aria-current": "page" }}
        title={me.account.name}
      >
        <IconUser size={18} stroke={1.6} aria-hidden />
        <span className={classes.name}>{me.account.name}</span>
      </Link>
    </>
  );
}

/** Shows the pages to an account, and to others what they need to sign in. A link brings its own page. */
export function Shell() {
  const me = useQuery(meQuery);
  const { pathname, href } = useLocation();
  if (pathname === "/enter" || pathname === "/shared" || pathname === "/openid") return <Outlet />;
  if (me.data?.account === null)
    return me.data.is_owned ? <SignIn provider={me.data.provider} returnPath={href} /> : <NoOwner />;
  return <Pages isWaiting={me.isPending} />;
}

/** Moves the focus to each new page: the link that led to it may have left. An open dialog keeps the focus. */
function usePageFocus() {
  const { pathname } = useLocation();
  const page = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    const from = shown.current;
    shown.current = pathname;
    // The first page is reached from "/", by a redirect.
    if (from === pathname || from === "/") return;
    if (document.activeElement?.closest("[role=dialog]") == null)
      page.current?.focus({ preventScroll: true });
  }, [pathname]);
  return page;
}

function Pages({ isWaiting }: { isWaiting: boolean }) {
  const page = usePageFocus();
  return (
    <div className={classes.shell}>
      <a href="#page" className={classes.skip}>
        Skip to the page
      </a>
      <nav className={classes.side} aria-label="Patina">
        <div className={classes.top}>
          <Wordmark />
          <OpenPalette />
        </div>
        <div className={classes.rail}>
          {places.map(({ to, title, Icon }) => (
            <Link key={to} to={to} className={classes.place ?? ""} activeProps={{ "aria-current": "page" }}>
              <Icon size={20} stroke={1.6} aria-hidden />
              <span>{title}</span>
            </Link>
          ))}
        </div>
      </nav>
      <main ref={page} id="page" className={classes.page} tabIndex={-1}>
        <div className={classes.content}>
          {isWaiting ? (
            <Soon>
              <TextLines />
            </Soon>
          ) : (
            <Outlet />
          )}
        </div>
      </main>
      <footer className={classes.foot}>
        <HostHealth />
        <OpenActivity className={classes.aside ?? ""} />
        <Link to="/notifications" className={classes.aside ?? ""} activeProps={{ "aria-current": "page" }}>
          <IconBell size={18} stroke={1.6} aria-hidden />
          Notifications
        </Link>
        <Link
          to="/help/$"
          params={{ _splat: "" }}
          className={classes.aside ?? ""}
          activeProps={{ "aria-current": "page" }}
        >
          <IconHelp size={18} stroke={1.6} aria-hidden />
          Help
        </Link>
        <Accounts />
        <SchemeToggle />
      </footer>
      <Announcer />
      <Activity />
    </div>
  );
}
