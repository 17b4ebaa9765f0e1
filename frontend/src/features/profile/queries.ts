// Queries on profiles and their versions.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  client,
  finished,
  read,
  readTagged,
  type Profile,
  type ProfileCreate,
  type ProfileUpdate,
  type Sharing,
  type Tagged,
  type ProfileVersionCreate,
} from "../../api/client";

const STALE_MS = 60_000;
const named = (name: string) => ({ path: { name } });
const matching = (name: string, etag: string) => ({ path: { name }, header: { "if-match": etag } });

export const profilesQuery = queryOptions({
  queryKey: ["profiles"],
  queryFn: async () => (await read(client.GET("/api/v1/profiles"))).items,
  staleTime: STALE_MS,
});

export const archivedProfilesQuery = queryOptions({
  queryKey: ["profiles", "archived"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/profiles", { params: { query: { archived: true } } }))).items,
  staleTime: STALE_MS,
});

export const profileQuery = (name: string) =>
  queryOptions({
    queryKey: ["profile", name],
    queryFn: () => readTagged(client.GET("/api/v1/profiles/{name}", { params: named(name) })),
    staleTime: STALE_MS,
  });

export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ["profile", name, "versions"],
    queryFn: async () =>
      (await read(client.GET("/api/v1/profiles/{name}/versions", { params: named(name) }))).items,
    staleTime: STALE_MS,
  });

/** Other pages add uses, so it is read at every visit. */
export const usesQuery = (name: string) =>
  queryOptions({
    queryKey: ["profile", name, "uses"],
    queryFn: async () =>
      (await read(client.GET("/api/v1/profiles/{name}/uses", { params: named(name) }))).items,
    staleTime: 0,
  });

/** A version never changes. */
export const versionQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: ["profile", name, "versions", number],
    queryFn: () =>
      read(client.GET("/api/v1/profiles/{name}/versions/{number}", { params: { path: { name, number } } })),
    staleTime: Infinity,
  });

function useRefresh() {
  const queries = useQueryClient();
  return async (name: string) => {
    await queries.invalidateQueries({ queryKey: ["profile", name] });
    await queries.invalidateQueries({ queryKey: profilesQuery.queryKey });
  };
}

export function useMakeProfile() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: ProfileCreate) => read(client.POST("/api/v1/profiles", { body })),
    onSuccess: ({ name }) => refresh(name),
  });
}

export interface VersionSave {
  name: string;
  etag: string;
  body: ProfileVersionCreate;
}

export function useSaveVersion() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, etag, body }: VersionSave) =>
      read(client.POST("/api/v1/profiles/{name}/versions", { params: matching(name, etag), body })),
    onSuccess: (_, { name }) => refresh(name),
  });
}

export function useUpdateProfile({ name, etag }: Tagged<Profile>) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: ProfileUpdate) =>
      read(client.PATCH("/api/v1/profiles/{name}", { params: matching(name, etag), body })),
    onSuccess: () => refresh(name),
  });
}

export function useArchiveProfile({ name, archived_at }: Profile) {
  const refresh = useRefresh();
  const params = named(name);
  return useMutation({
    mutationFn: () =>
      read(
        archived_at === null
          ? client.POST("/api/v1/profiles/{name}/archive", { params })
          : client.POST("/api/v1/profiles/{name}/unarchive", { params }),
      ),
    onSuccess: () => refresh(name),
  });
}

export function useShareProfile({ name }: Profile) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: Sharing) =>
      read(client.PUT("/api/v1/profiles/{name}/sharing", { params: named(name), body })),
    onSuccess: () => refresh(name),
  });
}

export function useDeleteProfile({ name }: Profile) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => finished(client.DELETE("/api/v1/profiles/{name}", { params: named(name) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: profilesQuery.queryKey }),
  });
}
