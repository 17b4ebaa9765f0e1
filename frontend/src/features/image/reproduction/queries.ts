// Queries on recipes that are carried out again.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type ReproductionCreate } from "../../../api/client";

export const reproductionQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "reproduction"],
    queryFn: () =>
      read(client.GET("/api/v1/images/{image_id}/reproduction", { params: { path: { image_id } } })),
    staleTime: 60_000,
    retry: false,
  });

export function useReproduceImage(image_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotency_key }: { body: ReproductionCreate; idempotency_key: string }) =>
      read(
        client.POST("/api/v1/images/{image_id}/reproductions", {
          params: { path: { image_id }, header: { "idempotency-key": idempotency_key } },
          body,
        }),
      ),
    onSuccess: () =>
      Promise.all([["runs"], ["devices"]].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
