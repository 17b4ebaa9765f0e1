// Every address of the frontend.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { DevicesPage } from "./pages/DevicesPage";
import { ImagePage } from "./pages/ImagePage";
import { ImagesPage } from "./pages/ImagesPage";
import { ImportPage } from "./pages/ImportPage";
import { NotFoundPage } from "./pages/NotFoundPage";
import { ProfilePage } from "./pages/ProfilePage";
import { ProfilesPage } from "./pages/ProfilesPage";
import { RunsPage } from "./pages/RunsPage";
import { Shell } from "./Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
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
  validateSearch: (search): { profile?: string } =>
    typeof search["profile"] === "string" ? { profile: search["profile"] } : {},
  component: () => <DevicesPage preferred={devices.useSearch().profile ?? null} />,
});
const profiles = createRoute({ getParentRoute: () => root, path: "/profiles", component: ProfilesPage });
const profile = createRoute({
  getParentRoute: () => root,
  path: "/profiles/$name",
  component: () => <ProfilePage name={profile.useParams().name} />,
});
const runs = createRoute({ getParentRoute: () => root, path: "/runs", component: RunsPage });
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  // The live charts are fetched when the first run is opened.
  component: lazyRouteComponent(() => import("./pages/RunPage"), "RunPage"),
});
const images = createRoute({ getParentRoute: () => root, path: "/images", component: ImagesPage });
const importing = createRoute({
  getParentRoute: () => root,
  path: "/images/import",
  component: ImportPage,
});
const image = createRoute({
  getParentRoute: () => root,
  path: "/images/$imageId",
  component: () => <ImagePage id={image.useParams().imageId} />,
});

export const router = createRouter({
  routeTree: root.addChildren([home, devices, profiles, profile, runs, run, images, importing, image]),
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
