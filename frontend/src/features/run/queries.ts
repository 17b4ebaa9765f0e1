// Queries on runs.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  client,
  read,
  type ExtensionCreate,
  type Run,
  type RunChange,
  type RunCreate,
  type RunItem,
  type RunQuery,
  type StopConditions,
} from "../../api/client";
import { isEnded } from "../../shared/job";

export const runsQuery = (search: RunQuery) =>
  infiniteQueryOptions({
    queryKey: ["runs", "list", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...search, ...(pageParam !== null && { cursor: pageParam }) };
      return read(client.GET("/api/v1/runs", { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 3_000,
  });

/** The runs whose operation log is on the host. */
export const recordedRunsQuery = (log_of_host_id: number) =>
  queryOptions({
    queryKey: ["runs", "recorded", log_of_host_id],
    queryFn: async () => {
      const found: RunItem[] = [];
      for (let cursor: number | null | undefined; cursor !== null;) {
        const query = { log_of_host_id, limit: 200, ...(cursor !== undefined && { cursor }) };
        const page = await read(client.GET("/api/v1/runs", { params: { query } }));
        found.push(...page.items);
        cursor = page.next_cursor;
      }
      return found;
    },
  });

/** `moves_count` is the number of state changes in the journal: each one reads the row again. */
export const runQuery = (run_id: number, moves_count: number) =>
  queryOptions({
    queryKey: ["runs", run_id, moves_count],
    queryFn: () => read(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id } } })),
  });

/** Reads the row again until the run has ended: its events do not contain the whole row. */
export const watchedRunQuery = (run_id: number) =>
  queryOptions({
    queryKey: ["runs", run_id, "watched"],
    queryFn: () => read(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id } } })),
    refetchInterval: ({ state }) => (state.data === undefined || isEnded(state.data.state) ? false : 3_000),
  });

/** The jobs ahead of a queued run on its device. */
export const queueQuery = (run_id: number) =>
  queryOptions({
    queryKey: ["runs", run_id, "queue"],
    queryFn: () => read(client.GET("/api/v1/jobs/{job_id}/queue", { params: { path: { job_id: run_id } } })),
    refetchInterval: 3_000,
  });

export function useStartRun() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: RunCreate; idempotency_key: string }) =>
      read(client.POST("/api/v1/runs", { body, params: { header: { "idempotency-key": idempotency_key } } })),
    onSuccess: () =>
      Promise.all([["runs"], ["devices"]].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

/** Sends a request on a run, then reads every list and page of runs again. */
function useAskRun<Asked, Answer = Run>(ask: (asked: Asked) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: ask, onSuccess: () => queries.invalidateQueries({ queryKey: ["runs"] }) });
}

export function useCancelRun(run_id: number) {
  return useAskRun(() =>
    read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: run_id } } })),
  );
}

export function usePauseRun(run_id: number) {
  const params = { path: { run_id } };
  return useAskRun((verb: "pause" | "resume") =>
    read(
      verb === "pause"
        ? client.POST("/api/v1/runs/{run_id}/pause", { params })
        : client.POST("/api/v1/runs/{run_id}/resume", { params }),
    ),
  );
}

export function useChangeStopConditions(run_id: number) {
  return useAskRun((body: StopConditions) =>
    read(client.PUT("/api/v1/runs/{run_id}/stop_conditions", { params: { path: { run_id } }, body })),
  );
}

export function useExtendRun(run_id: number) {
  return useAskRun(({ body, idempotency_key }: { body: ExtensionCreate; idempotency_key: string }) =>
    read(
      client.POST("/api/v1/runs/{run_id}/extend", {
        params: { path: { run_id }, header: { "idempotency-key": idempotency_key } },
        body,
      }),
    ),
  );
}

export function useChangeRun(run_id: number) {
  return useAskRun((body: RunChange) =>
    read(client.PATCH("/api/v1/runs/{run_id}", { params: { path: { run_id } }, body })),
  );
}

/** Archives the runs one after the other, or shows them in the list again. */
export function useArchiveRuns(archived: boolean) {
  return useAskRun(async (run_ids: readonly number[]) => {
    for (const run_id of run_ids)
      await read(client.PATCH("/api/v1/runs/{run_id}", { params: { path: { run_id } }, body: { archived } }));
  });
}
