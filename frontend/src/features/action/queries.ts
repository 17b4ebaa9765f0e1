// Requests of actions.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type ActionCreate, type DeviceJob } from "../../api/client";

/** The expected duration of a restore, by measured ones alone. */
export const restoreTimeQuery = (device_id: number, image_id: number) =>
  queryOptions({
    queryKey: ["restore_time", device_id, image_id],
    queryFn: () => read(client.GET("/api/v1/restore-time", { params: { query: { device_id, image_id } } })),
    staleTime: 10_000,
  });

const CHANGED = [["jobs"], ["devices"]];

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
    mutationFn: (job: DeviceJob) =>
      read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: job.id } } })),
    onSettled: () => Promise.all(CHANGED.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
