// Queries on the retention rule and the storage of a team.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, finished, read, type RetentionRule } from "../../api/client";

export const retentionQuery = (team_id: number) =>
  queryOptions({
    queryKey: ["teams", team_id, "retention"],
    queryFn: () => read(client.GET("/api/v1/teams/{team_id}/retention", { params: { path: { team_id } } })),
  });

export const storageQuery = (team_id: number) =>
  queryOptions({
    queryKey: ["teams", team_id, "storage"],
    queryFn: () => read(client.GET("/api/v1/teams/{team_id}/storage", { params: { path: { team_id } } })),
    staleTime: 60_000, // it reads every index
  });

/** What a rule that is not saved would delete. */
export const previewQuery = (team_id: number, rule: RetentionRule) =>
  queryOptions({
    queryKey: ["teams", team_id, "retention", "preview", rule],
    queryFn: () =>
      read(
        client.POST("/api/v1/teams/{team_id}/retention/preview", {
          params: { path: { team_id } },
          body: rule,
        }),
      ),
  });

/** Returns a function that reads the team's rule, storage and images again. */
function useReadAgain(team_id: number) {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["teams", team_id] }),
      queries.invalidateQueries({ queryKey: ["images"] }),
    ]);
}

export function useSetRule(team_id: number) {
  const readAgain = useReadAgain(team_id);
  return useMutation({
    mutationFn: (body: RetentionRule) =>
      read(client.PUT("/api/v1/teams/{team_id}/retention", { params: { path: { team_id } }, body })),
    onSuccess: readAgain,
  });
}

export function useRemoveRule(team_id: number) {
  const readAgain = useReadAgain(team_id);
  return useMutation({
    mutationFn: () =>
      finished(client.DELETE("/api/v1/teams/{team_id}/retention", { params: { path: { team_id } } })),
    onSettled: readAgain,
  });
}

export function useApplyRule(team_id: number) {
  const readAgain = useReadAgain(team_id);
  return useMutation({
    mutationFn: (image_ids: number[]) =>
      read(
        client.POST("/api/v1/teams/{team_id}/retention/apply", {
          params: { path: { team_id } },
          body: { image_ids },
        }),
      ),
    onSettled: readAgain,
  });
}
