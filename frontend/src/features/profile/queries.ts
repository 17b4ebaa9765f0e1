// What the page asks of profiles.
import { queryOptions } from "@tanstack/react-query";
import { client, read } from "../../api/client";

export const profilesQuery = queryOptions({
  queryKey: ["profiles"],
  queryFn: async () => (await read(client.GET("/api/v1/profiles"))).items,
  staleTime: 60_000,
});

export const profileQuery = (name: string) =>
  queryOptions({
    queryKey: ["profiles", name],
    queryFn: () => read(client.GET("/api/v1/profiles/{name}", { params: { path: { name } } })),
    staleTime: 60_000,
  });
