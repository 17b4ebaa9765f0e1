// Queries on hosts.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Host, type JoinToken, type JoinTokenCreate } from "../../api/client";

export const hostsQuery = queryOptions({
  queryKey: ["hosts"],
  queryFn: async () => (await read(client.GET("/api/v1/hosts"))).items,
  // The page shows a loss within half a minute: the server waits for 20 s of silence.
  refetchInterval: 5_000,
});

export const storesQuery = queryOptions({
  queryKey: ["stores"],
  queryFn: async () => (await read(client.GET("/api/v1/stores"))).items,
  refetchInterval: 60_000,
});

export const joinTokensQuery = queryOptions({
  queryKey: ["join_tokens"],
  queryFn: async () => (await read(client.GET("/api/v1/hosts/tokens"))).items,
  refetchInterval: 5_000,
});

export function useMakeJoinToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: JoinTokenCreate) => read(client.POST("/api/v1/hosts/tokens", { body })),
    onSuccess: () => queries.invalidateQueries(joinTokensQuery),
  });
}

export function useRevokeJoinToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: JoinToken) =>
      read(client.DELETE("/api/v1/hosts/tokens/{token_id}", { params: { path: { token_id: token.id } } })),
    onSuccess: () => queries.invalidateQueries(joinTokensQuery),
  });
}

export function useRemoveHost() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (host: Host) =>
      read(client.DELETE("/api/v1/hosts/{host_id}", { params: { path: { host_id: host.id } } })),
    onSuccess: () =>
      Promise.all(
        [["hosts"], ["devices"], ["runs"], ["images"]].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
