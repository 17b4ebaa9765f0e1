// Queries on studies.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type StudyRequest } from "../../api/client";
import { isAtRest } from "../../shared/job";

export const studiesQuery = infiniteQueryOptions({
  queryKey: ["studies", "list"],
  queryFn: ({ pageParam }) =>
    read(
      client.GET("/api/v1/studies", { params: { query: pageParam === null ? {} : { cursor: pageParam } } }),
    ),
  initialPageParam: null as number | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: 3_000,
});

export const studyQuery = (study_id: number) =>
  queryOptions({
    queryKey: ["studies", study_id],
    queryFn: () => read(client.GET("/api/v1/studies/{study_id}", { params: { path: { study_id } } })),
    refetchInterval: ({ state }) => (state.data === undefined || isAtRest(state.data.state) ? false : 1_500),
  });

export function useStartStudy() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: StudyRequest; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/studies", { body, params: { header: { "idempotency-key": idempotency_key } } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["studies", "list"] }),
  });
}

export function useStopStudy(job_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["studies"] }),
  });
}

export function useContinueStudy(job_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => read(client.POST("/api/v1/jobs/{job_id}/retry", { params: { path: { job_id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["studies"] }),
  });
}
