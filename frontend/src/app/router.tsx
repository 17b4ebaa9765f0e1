// Every address of the frontend.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { AuditFilter } from "../api/client";
import { searchOf } from "../features/image/search/words";
import { searchOf as runsSearchOf, type RunsSearch } from "../features/run/list/words";
import { isAgingMode } from "../shared/modes";
import type { Preferred } from "./age/preferred";
import { arriving } from "./arriving";
import { AccountPage } from "./pages/AccountPage";
import { AuditPage } from "./pages/AuditPage";
import { BrokenPage } from "./pages/BrokenPage";
import { DevicesPage } from "./pages/DevicesPage";
import { EnterPage } from "./pages/EnterPage";
import { HostsPage } from "./pages/HostsPage";
import { ImagePage } from "./pages/ImagePage";
import { ImagesPage } from "./pages/ImagesPage";
import { ImportPage } from "./pages/ImportPage";
import { NotificationsPage } from "./pages/NotificationsPage";
import { NotFoundPage } from "./pages/NotFoundPage";
import { OpenidPage } from "./pages/OpenidPage";
import { PeoplePage } from "./pages/PeoplePage";
import { ProfilesPage } from "./pages/ProfilesPage";
import { RunsPage } from "./pages/RunsPage";
import { SharedPage } from "./pages/SharedPage";
import { TeamPage } from "./pages/TeamPage";
import { TrashPage } from "./pages/TrashPage";
import { TrialsPage } from "./pages/TrialsPage";
import { Shell } from "./Shell";

function isFraction(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= 1;
}

function isOrdinal(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

const root = createRootRoute({
  // The panel Activity opens over any page; with a job's number it shows that job first.
  validateSearch: ({ activity }): { activity?: number } =>
    isOrdinal(activity) || activity === 0 ? { activity } : {},
  component: Shell,
  notFoundComponent: NotFoundPage,
});
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/devices", replace: true });
  },
});
const devices = createRoute({
  getParentRoute: () => root,
  path: "/devices",
  validateSearch: (search): Preferred => ({
    ...(typeof search["profile"] === "string" && { profile: search["profile"] }),
    ...(isOrdinal(search["version"]) && { version: search["version"] }),
    ...(isFraction(search["max_rmse"]) && { max_rmse: search["max_rmse"] }),
    ...(isOrdinal(search["like"]) && { like: search["like"] }),
    ...(isAgingMode(search["mode"]) && { mode: search["mode"] }),
    ...(isOrdinal(search["replay_of"]) && { replay_of: search["replay_of"] }),
    ...(search["survivors"] === true && { survivors: true }),
    ...(isOrdinal(search["restore"]) && { restore: search["restore"] }),
  }),
  component: () => <DevicesPage preferred={devices.useSearch()} />,
});
const profiles = createRoute({
  getParentRoute: () => root,
  path: "/profiles",
  validateSearch: (search): { tag?: string; archived?: boolean; chosen?: string } => {
    const chosen = asText(search["chosen"]);
    return {
      ...(typeof search["tag"] === "string" && { tag: search["tag"] }),
      ...(search["archived"] === true && { archived: true }),
      ...(chosen !== undefined && { chosen }),
    };
  },
  component: ProfilesPage,
});
// The code that edits, compares and renders Markdown is fetched when the first profile is opened.
const profile = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name",
  component: lazyRouteComponent(() => arriving(() => import("./pages/ProfilePage")), "ProfilePage"),
});
const comparison = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name/compare",
  validateSearch: (search): { with?: string; left?: number; right?: number } => {
    const other = asText(search["with"]);
    return {
      ...(other !== undefined && { with: other }),
      ...(isOrdinal(search["left"]) && { left: search["left"] }),
      ...(isOrdinal(search["right"]) && { right: search["right"] }),
    };
  },
  component: lazyRouteComponent(() => arriving(() => import("./pages/ComparePage")), "ComparePage"),
});
const editing = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name/edit",
  component: lazyRouteComponent(() => arriving(() => import("./edit/EditPage")), "EditPage"),
});
const making = createRoute({
  getParentRoute: () => root,
  path: "/profiles/new",
  component: lazyRouteComponent(() => arriving(() => import("./edit/NewPage")), "NewPage"),
});
/** Returns a search value as text: the router parses a single number as a number. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

const trials = createRoute({ getParentRoute: () => root, path: "/trials", component: TrialsPage });
const newTrial = createRoute({
  getParentRoute: () => root,
  path: "/trials/new",
  validateSearch: ({ images, like }): { images?: string; like?: number } => {
    const text = asText(images);
    return { ...(text !== undefined && { images: text }), ...(isOrdinal(like) && { like }) };
  },
  component: lazyRouteComponent(() => arriving(() => import("./pages/NewTrialPage")), "NewTrialPage"),
});
const trial = createRoute({
  getParentRoute: () => root,
  path: "/trials/$trialId",
  component: lazyRouteComponent(() => arriving(() => import("./pages/TrialPage")), "TrialPage"),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (address): RunsSearch & { chosen?: string } => {
    const text = asText(address["chosen"]);
    return { ...runsSearchOf(address), ...(text !== undefined && { chosen: text }) };
  },
  component: RunsPage,
});
const runComparison = createRoute({
  getParentRoute: () => root,
  path: "/runs/compare",
  validateSearch: ({ ids }): { ids?: string } => {
    const text = asText(ids);
    return text === undefined ? {} : { ids: text };
  },
  component: lazyRouteComponent(() => arriving(() => import("./pages/CompareRunsPage")), "CompareRunsPage"),
});
const batch = createRoute({
  getParentRoute: () => root,
  path: "/batches/$batchId",
  component: lazyRouteComponent(() => arriving(() => import("./pages/BatchPage")), "BatchPage"),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  // The live charts are fetched when the first run is opened.
  component: lazyRouteComponent(() => arriving(() => import("./pages/RunPage")), "RunPage"),
});
const images = createRoute({
  getParentRoute: () => root,
  path: "/images",
  validateSearch: searchOf,
  component: ImagesPage,
});
const importing = createRoute({
  getParentRoute: () => root,
  path: "/images/import",
  component: ImportPage,
});
const trash = createRoute({ getParentRoute: () => root, path: "/images/trash", component: TrashPage });
const imageComparison = createRoute({
  getParentRoute: () => root,
  path: "/images/compare",
  validateSearch: ({ first, second }): { first?: number; second?: number } => ({
    ...(isOrdinal(first) && { first }),
    ...(isOrdinal(second) && { second }),
  }),
  component: lazyRouteComponent(
    () => arriving(() => import("./pages/CompareImagesPage")),
    "CompareImagesPage",
  ),
});
const image = createRoute({
  getParentRoute: () => root,
  path: "/images/$imageId",
  component: () => <ImagePage id={image.useParams().imageId} />,
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: "/notifications",
  component: NotificationsPage,
});

const enter = createRoute({ getParentRoute: () => root, path: "/enter", component: EnterPage });
const openid = createRoute({ getParentRoute: () => root, path: "/openid", component: OpenidPage });
const shared = createRoute({ getParentRoute: () => root, path: "/shared", component: SharedPage });
const account = createRoute({ getParentRoute: () => root, path: "/account", component: AccountPage });
const people = createRoute({ getParentRoute: () => root, path: "/people", component: PeoplePage });
const team = createRoute({
  getParentRoute: () => root,
  path: "/teams/$teamId",
  component: () => <TeamPage key={team.useParams().teamId} id={team.useParams().teamId} />,
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: ({ account: name, action, outcome }): AuditFilter => ({
    ...(typeof name === "string" && { account: name }),
    ...(typeof action === "string" && { action }),
    ...((outcome === "done" || outcome === "refused") && { outcome }),
  }),
  component: () => <AuditPage filter={audit.useSearch()} />,
});
const hosts = createRoute({ getParentRoute: () => root, path: "/hosts", component: HostsPage });

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    devices,
    profiles,
    making,
    profile,
    comparison,
    editing,
    runs,
    runComparison,
    run,
    batch,
    trials,
    newTrial,
    trial,
    images,
    importing,
    trash,
    imageComparison,
    image,
    notifications,
    hosts,
    enter,
    openid,
    shared,
    account,
    people,
    team,
    audit,
  ]),
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
