// Queries on batches.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Batch, type BatchCreate } from "../../api/client";

const resting: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"]);

export function hasRested({ runs }: Batch): boolean {
  return runs.every(({ state }) => resting.has(state));
}

export const batchQuery = (batch_id: number) =>
  queryOptions({
    queryKey: ["batches", batch_id],
    queryFn: () => read(client.GET("/api/v1/batches/{batch_id}", { params: { path: { batch_id } } })),
    refetchInterval: ({ state }) => (state.data === undefined || hasRested(state.data) ? false : 2_000),
  });

function useChanged() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [["batches"], ["runs"], ["devices"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
}

export function useStartBatch() {
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: BatchCreate; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/batches", { body, params: { header: { "idempotency-key": idempotency_key } } }),
      ),
    onSuccess,
  });
}

export function useCancelBatch(batch_id: number) {
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: () =>
      read(client.POST("/api/v1/batches/{batch_id}/stop", { params: { path: { batch_id } } })),
    onSuccess,
  });
}
