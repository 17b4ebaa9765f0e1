// Queries on intakes.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { client, read, type Intake, type IntakeCreate } from "../../api/client";
import { isEnded } from "../../shared/job";
import { listen, sendingOf, stopSending, type Sending } from "./sending";

const SHOWN_COUNT = 10;

export const intakesQuery = queryOptions({
  queryKey: ["intakes"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/intakes", { params: { query: { limit: SHOWN_COUNT } } }))).items,
  refetchInterval: ({ state }) => (state.data?.some((intake) => !isEnded(intake.state)) ? 1_000 : 5_000),
});

export function useSending(intake_id: number): Sending | undefined {
  return useSyncExternalStore(listen, () => sendingOf(intake_id));
}

export function useBeginIntake() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: IntakeCreate; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/intakes", { body, params: { header: { "idempotency-key": idempotency_key } } }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: intakesQuery.queryKey }),
  });
}

export function useCancelIntake() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Intake) => {
      stopSending(id);
      return read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: id } } }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: intakesQuery.queryKey }),
  });
}

/** Retries an interrupted import, whose file is complete. */
export function useTakeInAgain() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Intake) =>
      read(client.POST("/api/v1/jobs/{job_id}/retry", { params: { path: { job_id: id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: intakesQuery.queryKey }),
  });
}
