// Links that show one thing without an account.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, finished, read, type Shown } from "../../api/client";

export const sharedLinksQuery = (shown: Shown) =>
  queryOptions({
    queryKey: ["shared-links", shown],
    queryFn: async () => (await read(client.GET("/api/v1/shared-links", { params: { query: shown } }))).items,
  });

export function useMakeSharedLink(shown: Shown) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (expires_in_s: number) =>
      read(client.POST("/api/v1/shared-links", { body: { ...shown, expires_in_s } })),
    onSettled: () => queries.invalidateQueries(sharedLinksQuery(shown)),
  });
}

export function useRevokeSharedLink(shown: Shown) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (link_id: number) =>
      finished(client.DELETE("/api/v1/shared-links/{link_id}", { params: { path: { link_id } } })),
    onSettled: () => queries.invalidateQueries(sharedLinksQuery(shown)),
  });
}

/** What a link shows; the answer sets the cookie with which its bearer reads that. */
export const openedQuery = (token: string) =>
  queryOptions({
    queryKey: ["shared-links", "opened", token],
    queryFn: () => read(client.POST("/api/v1/shared-links/opening", { body: { token } })),
    retry: false,
    refetchOnWindowFocus: false,
  });
