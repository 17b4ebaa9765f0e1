// Queries on saved searches.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, finished, read } from "../../../api/client";
import type { CatalogSearch } from "./words";

export const searchesQuery = queryOptions({
  queryKey: ["searches"],
  queryFn: async () => (await read(client.GET("/api/v1/searches"))).items,
  staleTime: 60_000,
});

export function useSaveSearch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; search: CatalogSearch }) =>
      read(client.POST("/api/v1/searches", { body })),
    onSuccess: () => queries.invalidateQueries(searchesQuery),
  });
}

export function useRemoveSearch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (search_id: number) =>
      finished(client.DELETE("/api/v1/searches/{search_id}", { params: { path: { search_id } } })),
    onSettled: () => queries.invalidateQueries(searchesQuery),
  });
}
