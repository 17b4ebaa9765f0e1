// Queries on jobs of every kind.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type JobItem, type JobState } from "../../api/client";

/** The criteria of the list; absent ones match every job. */
export interface Filter {
  kind?: string;
  host_id?: number;
  device_id?: number;
  state?: JobState;
}

const PAGE_LIMIT = 30;
const LOOK_EVERY_MS = 1_000;
const REST_MS = 5_000;

export const jobsQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ["jobs", "list", filter],
    queryFn: ({ pageParam }) =>
      read(
        client.GET("/api/v1/jobs", {
          params: {
            query: { ...filter, limit: PAGE_LIMIT, ...(pageParam !== null && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: LOOK_EVERY_MS,
  });

/** The jobs that have not ended. The panel's button shows their number on every page. */
export const openJobsQuery = queryOptions({
  queryKey: ["jobs", "open"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/jobs", { params: { query: { is_open: true, limit: 200 } } }))).items,
  refetchInterval: ({ state }) =>
    state.data !== undefined && state.data.length > 0 ? LOOK_EVERY_MS * 2 : REST_MS,
});

export function useAskJob(verb: "stop" | "retry") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: JobItem) => {
      const params = { path: { job_id: id } };
      return read(
        verb === "stop"
          ? client.POST("/api/v1/jobs/{job_id}/stop", { params })
          : client.POST("/api/v1/jobs/{job_id}/retry", { params }),
      );
    },
    // Lists of all kinds show the job's state.
    onSettled: () => queries.invalidateQueries(),
  });
}
