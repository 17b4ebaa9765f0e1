// The pages and actions of the palette, each for the roles that may use it.
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Role } from "../../api/client";
import { CHOICE_OF_RUNS } from "../../features/run/list/words";
import { includes, meQuery } from "../../shared/me";
import type { Entry } from "./entry";

/** Reports whether the account of this browser has a role. The server decides; this offers no more than it answers. */
export function useMay(): (needs: Role) => boolean {
  const { data: me } = useQuery(meQuery);
  return (needs) => me?.role == null || includes(me.role, needs);
}

interface Place extends Entry {
  needs?: Role;
}

function useActions(): Place[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme() === "dark" ? "light" : "dark";
  const action = (title: string, keywords: string, needs: Role, go: () => void): Place => ({
    id: `action ${title}`,
    group: "Actions",
    title,
    keywords,
    needs,
    go,
  });
  return [
    {
      id: "action Age a device",
      group: "Actions",
      title: "Age a device…",
      note: "choose it here",
      keywords: "start a run",
      types: "Age ",
      needs: "member",
      go: () => {},
    },
    action(
      "Make a sandbox device",
      "new create",
      "member",
      () => void navigate({ to: "/devices", search: { sandbox: true } }),
    ),
    action(
      "Make an emulated disk",
      "new create large fault predicted time",
      "member",
      () => void navigate({ to: "/devices", search: { emulated: true } }),
    ),
    action(
      "Make a shingled disk",
      "new create SMRfs Caveat-Scriptor strict append DID",
      "member",
      () => void navigate({ to: "/devices", search: { shingled: true } }),
    ),
    action("Restore an image to a device", "write", "member", () => void navigate({ to: "/images" })),
    action("Import an image", "upload a file", "member", () => void navigate({ to: "/images/import" })),
    action("New profile", "make histograms", "member", () => void navigate({ to: "/profiles/new" })),
    action("New study", "simulate shingled disks", "member", () => void navigate({ to: "/studies/new" })),
    action("New trial", "measure a benchmark workload", "member", () => void navigate({ to: "/trials/new" })),
    action(
      "Compare runs",
      "plots side by side",
      "viewer",
      () => void navigate({ to: "/runs", hash: CHOICE_OF_RUNS }),
    ),
    action(`Switch to ${other}`, "theme colour scheme dark light", "viewer", () => setColorScheme(other)),
  ];
}

export function usePlaces(): Entry[] {
  const navigate = useNavigate();
  const actions = useActions();
  const may = useMay();
  const page = (to: string, title: string, keywords = "", needs?: Role): Place => ({
    id: `page ${title}`,
    group: "Pages",
    title,
    keywords,
    ...(needs && { needs }),
    go: () => void navigate({ to }),
  });
  const places: Place[] = [
    ...actions,
    page("/devices", "Devices", "home disks sandbox"),
    page("/profiles", "Profiles", "histograms"),
    page("/runs", "Runs", "agings"),
    page("/images", "Images", "catalog"),
    page("/images/trash", "Trash", "deleted images bring back"),
    page("/trials", "Trials", "measurements"),
    page("/studies", "Studies", "simulations shingled disks"),
    page("/hosts", "Hosts", "machines workers join"),
    page("/notifications", "Notifications", "webhooks"),
    page("/account", "Account", "password access tokens sign out"),
    page("/people", "People", "accounts teams invite", "owner"),
    page("/audit", "Audit trail", "who did what", "owner"),
    page("/help/", "Help", "documents manual"),
    {
      id: "page Activity",
      group: "Pages",
      title: "Activity",
      keywords: "jobs of all hosts",
      go: () => void navigate({ to: ".", search: (old) => ({ ...old, activity: 0 }) }),
    },
  ];
  return places.filter(({ needs }) => needs === undefined || may(needs));
}
