// Every address of the frontend.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { AuditFilter } from "../api/client";
import { searchOf } from "../features/image/search/words";
import { searchOf as runsSearchOf, type RunsSearch } from "../features/run/list/search";
import { arriving } from "../shared/arriving";
import { isAgingMode } from "../shared/modes";
import type { Preferred } from "./age/preferred";
import { BrokenPage } from "./pages/BrokenPage";
import { NotFoundPage } from "./pages/NotFoundPage";
import { Shell } from "./Shell";

/** A page whose code is fetched when it is first opened, or pointed at. */
function fetched(load: () => Promise<ComponentType>) {
  return lazyRouteComponent(() => arriving(async () => ({ default: await load() })));
}

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
  validateSearch: (
    search,
  ): Preferred & { age?: number; sandbox?: boolean; emulated?: boolean; shingled?: boolean } => ({
    ...(isOrdinal(search["age"]) && { age: search["age"] }),
    ...(search["sandbox"] === true && { sandbox: true }),
    ...(search["emulated"] === true && { emulated: true }),
    ...(search["shingled"] === true && { shingled: true }),
    ...(typeof search["profile"] === "string" && { profile: search["profile"] }),
    ...(isOrdinal(search["version"]) && { version: search["version"] }),
    ...(isFraction(search["max_rmse"]) && { max_rmse: search["max_rmse"] }),
    ...(isOrdinal(search["like"]) && { like: search["like"] }),
    ...(isAgingMode(search["mode"]) && { mode: search["mode"] }),
    ...(isOrdinal(search["replay_of"]) && { replay_of: search["replay_of"] }),
    ...(search["survivors"] === true && { survivors: true }),
    ...(isOrdinal(search["restore"]) && { restore: search["restore"] }),
  }),
  component: fetched(async () => {
    const { DevicesPage } = await import("./pages/DevicesPage");
    return () => <DevicesPage preferred={devices.useSearch()} />;
  }),
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
  component: fetched(async () => (await import("./pages/ProfilesPage")).ProfilesPage),
});
const profile = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name",
  component: fetched(async () => (await import("./pages/ProfilePage")).ProfilePage),
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
  component: fetched(async () => (await import("./pages/ComparePage")).ComparePage),
});
const editing = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name/edit",
  component: fetched(async () => (await import("./edit/EditPage")).EditPage),
});
const making = createRoute({
  getParentRoute: () => root,
  path: "/profiles/new",
  component: fetched(async () => (await import("./edit/NewPage")).NewPage),
});
/** Returns a search value as text: the router parses a single number as a number. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

const trials = createRoute({
  getParentRoute: () => root,
  path: "/trials",
  component: fetched(async () => (await import("./pages/TrialsPage")).TrialsPage),
});
const newTrial = createRoute({
  getParentRoute: () => root,
  path: "/trials/new",
  validateSearch: ({ images, like }): { images?: string; like?: number } => {
    const text = asText(images);
    return { ...(text !== undefined && { images: text }), ...(isOrdinal(like) && { like }) };
  },
  component: fetched(async () => (await import("./pages/NewTrialPage")).NewTrialPage),
});
const trial = createRoute({
  getParentRoute: () => root,
  path: "/trials/$trialId",
  component: fetched(async () => (await import("./pages/TrialPage")).TrialPage),
});
const studies = createRoute({
  getParentRoute: () => root,
  path: "/studies",
  component: fetched(async () => (await import("./pages/StudiesPage")).StudiesPage),
});
const newStudy = createRoute({
  getParentRoute: () => root,
  path: "/studies/new",
  validateSearch: ({ like }): { like?: number } => (isOrdinal(like) ? { like } : {}),
  component: fetched(async () => (await import("./pages/NewStudyPage")).NewStudyPage),
});
const study = createRoute({
  getParentRoute: () => root,
  path: "/studies/$studyId",
  component: fetched(async () => (await import("./pages/StudyPage")).StudyPage),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (address): RunsSearch & { chosen?: string } => {
    const text = asText(address["chosen"]);
    return { ...runsSearchOf(address), ...(text !== undefined && { chosen: text }) };
  },
  component: fetched(async () => (await import("./pages/RunsPage")).RunsPage),
});
const runComparison = createRoute({
  getParentRoute: () => root,
  path: "/runs/compare",
  validateSearch: ({ ids }): { ids?: string } => {
    const text = asText(ids);
    return text === undefined ? {} : { ids: text };
  },
  component: fetched(async () => (await import("./pages/CompareRunsPage")).CompareRunsPage),
});
const batch = createRoute({
  getParentRoute: () => root,
  path: "/batches/$batchId",
  component: fetched(async () => (await import("./pages/BatchPage")).BatchPage),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  component: fetched(async () => (await import("./pages/RunPage")).RunPage),
});
const images = createRoute({
  getParentRoute: () => root,
  path: "/images",
  validateSearch: searchOf,
  component: fetched(async () => (await import("./pages/ImagesPage")).ImagesPage),
});
const importing = createRoute({
  getParentRoute: () => root,
  path: "/images/import",
  component: fetched(async () => (await import("./pages/ImportPage")).ImportPage),
});
const trash = createRoute({
  getParentRoute: () => root,
  path: "/images/trash",
  component: fetched(async () => (await import("./pages/TrashPage")).TrashPage),
});
const imageComparison = createRoute({
  getParentRoute: () => root,
  path: "/images/compare",
  validateSearch: ({ first, second }): { first?: number; second?: number } => ({
    ...(isOrdinal(first) && { first }),
    ...(isOrdinal(second) && { second }),
  }),
  component: fetched(async () => (await import("./pages/CompareImagesPage")).CompareImagesPage),
});
const image = createRoute({
  getParentRoute: () => root,
  path: "/images/$imageId",
  component: fetched(async () => {
    const { ImagePage } = await import("./pages/ImagePage");
    return () => <ImagePage id={image.useParams().imageId} />;
  }),
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: "/notifications",
  component: fetched(async () => (await import("./pages/NotificationsPage")).NotificationsPage),
});

const enter = createRoute({
  getParentRoute: () => root,
  path: "/enter",
  component: fetched(async () => (await import("./pages/EnterPage")).EnterPage),
});
const openid = createRoute({
  getParentRoute: () => root,
  path: "/openid",
  component: fetched(async () => (await import("./pages/OpenidPage")).OpenidPage),
});
const shared = createRoute({
  getParentRoute: () => root,
  path: "/shared",
  component: fetched(async () => (await import("./pages/SharedPage")).SharedPage),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: fetched(async () => (await import("./pages/AccountPage")).AccountPage),
});
const people = createRoute({
  getParentRoute: () => root,
  path: "/people",
  component: fetched(async () => (await import("./pages/PeoplePage")).PeoplePage),
});
const team = createRoute({
  getParentRoute: () => root,
  path: "/teams/$teamId",
  component: fetched(async () => {
    const { TeamPage } = await import("./pages/TeamPage");
    return () => <TeamPage key={team.useParams().teamId} id={team.useParams().teamId} />;
  }),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: ({ account: name, action, outcome }): AuditFilter => ({
    ...(typeof name === "string" && { account: name }),
    ...(typeof action === "string" && { action }),
    ...((outcome === "done" || outcome === "refused") && { outcome }),
  }),
  component: fetched(async () => {
    const { AuditPage } = await import("./pages/AuditPage");
    return () => <AuditPage filter={audit.useSearch()} />;
  }),
});
const document = createRoute({
  getParentRoute: () => root,
  path: "/help/$",
  component: fetched(async () => {
    const { HelpDocumentPage } = await import("./pages/HelpDocumentPage");
    return () => <HelpDocumentPage path={document.useParams()._splat ?? ""} />;
  }),
});
const hosts = createRoute({
  getParentRoute: () => root,
  path: "/hosts",
  component: fetched(async () => (await import("./pages/HostsPage")).HostsPage),
});

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
    studies,
    newStudy,
    study,
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
    document,
  ]),
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: BrokenPage,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
