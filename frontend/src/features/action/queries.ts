// Queries on actions and holdings.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Action, type ActionCreate } from "../../api/client";
import { isAtRest } from "../../shared/job";

export const holdingQuery = (device_id: number) =>
  queryOptions({
    queryKey: ["holding", device_id],
    queryFn: () =>
      read(client.GET("/api/v1/devices/{device_id}/holding", { params: { path: { device_id } } })),
    refetchInterval: 2_000,
  });

/** The newest action; null for a device without any. */
export const newestActionQuery = (device_id: number) =>
  queryOptions({
    queryKey: ["actions", "of device", device_id],
    queryFn: async () =>
      (await read(client.GET("/api/v1/actions", { params: { query: { device_id, limit: 1 } } }))).items[0] ??
      null,
    refetchInterval: ({ state }) => (state.data && !isAtRest(state.data.state) ? 1_000 : 3_000),
  });

const CHANGED = [["actions"], ["devices"], ["holding"]];

export function useStartAction() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: ActionCreate; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/actions", { body, params: { header: { "idempotency-key": idempotency_key } } }),
      ),
    onSettled: () => Promise.all(CHANGED.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

export function useStopAction() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (action: Action) =>
      read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: action.id } } })),
    onSettled: () => Promise.all(CHANGED.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
