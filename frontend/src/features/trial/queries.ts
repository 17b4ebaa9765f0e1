// Queries on trials and their workloads.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type TrialCreate } from "../../api/client";
import { isAtRest } from "../../shared/job";

export const trialsQuery = infiniteQueryOptions({
  queryKey: ["trials", "list"],
  queryFn: ({ pageParam }) =>
    read(
      client.GET("/api/v1/trials", { params: { query: pageParam === null ? {} : { cursor: pageParam } } }),
    ),
  initialPageParam: null as number | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: 3_000,
});

export const trialQuery = (trial_id: number) =>
  queryOptions({
    queryKey: ["trials", trial_id],
    queryFn: () => read(client.GET("/api/v1/trials/{trial_id}", { params: { path: { trial_id } } })),
    refetchInterval: ({ state }) => (state.data === undefined || isAtRest(state.data.state) ? false : 1_500),
  });

const readMeasurements = (trial_id: number) =>
  read(client.GET("/api/v1/trials/{trial_id}/measurements", { params: { path: { trial_id } } }));
export type MeasuredRepetition = Awaited<ReturnType<typeof readMeasurements>>["items"][number];

/** The measurements of a trial, whole: only fetched where they are shown. */
export const measurementsQuery = (trial_id: number, done_count: number) =>
  queryOptions({
    queryKey: ["trials", trial_id, "measurements", done_count],
    queryFn: async () => (await readMeasurements(trial_id)).items,
    staleTime: Infinity,
    placeholderData: (before: MeasuredRepetition[] | undefined) => before,
  });

export const workloadsQuery = queryOptions({
  queryKey: ["workloads"],
  queryFn: async () => (await read(client.GET("/api/v1/workloads"))).items,
  staleTime: Infinity,
});

export function useStartTrial() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: TrialCreate; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/trials", { body, params: { header: { "idempotency-key": idempotency_key } } }),
      ),
    onSuccess: () =>
      Promise.all(
        [["trials", "list"], ["devices"], ["runs"]].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** Reads a specification; a mistake is a Refusal that names its line and column. */
export function useDescribeWorkload() {
  return useMutation({
    mutationFn: (spec: string) => read(client.POST("/api/v1/workloads/description", { body: { spec } })),
  });
}

export function useStopTrial(trial_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: trial_id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["trials"] }),
  });
}

export function useContinueTrial(trial_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      read(client.POST("/api/v1/jobs/{job_id}/retry", { params: { path: { job_id: trial_id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["trials"] }),
  });
}
