// Queries on webhooks.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, finished, read, type Delivery, type Webhook, type WebhookCreate } from "../../api/client";

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: async () => (await read(client.GET("/api/v1/webhooks"))).items,
  refetchInterval: 10_000,
});

const PAGE_COUNT = 5;

/** Polled more often while a delivery is pending. */
export const deliveriesQuery = (webhook_id: number) =>
  infiniteQueryOptions({
    queryKey: ["webhooks", webhook_id, "deliveries"],
    queryFn: ({ pageParam }) =>
      read(
        client.GET("/api/v1/webhooks/{webhook_id}/deliveries", {
          params: {
            path: { webhook_id },
            query: { limit: PAGE_COUNT, ...(pageParam !== null && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => {
      const isOnItsWay = state.data?.pages.some(({ items }) => items.some((one) => one.state === "pending"));
      return isOnItsWay === true ? 1_000 : 5_000;
    },
  });

/** Changes a webhook, or sends to it; then reads all webhook data of the page again. */
function useAskWebhook<Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
}

export function useAddWebhook() {
  return useAskWebhook((body: WebhookCreate) => read(client.POST("/api/v1/webhooks", { body })));
}

export function useRemoveWebhook({ id }: Webhook) {
  const params = { path: { webhook_id: id } };
  return useAskWebhook(() => finished(client.DELETE("/api/v1/webhooks/{webhook_id}", { params })));
}

export function useSwitchWebhook({ id }: Webhook) {
  const params = { path: { webhook_id: id } };
  return useAskWebhook((is_enabled: boolean) =>
    read(client.PATCH("/api/v1/webhooks/{webhook_id}", { params, body: { is_enabled } })),
  );
}

export function usePing({ id }: Webhook) {
  const params = { path: { webhook_id: id } };
  return useAskWebhook(() => read(client.POST("/api/v1/webhooks/{webhook_id}/ping", { params })));
}

export function useRedeliver({ id }: Webhook) {
  return useAskWebhook((delivery: Delivery) =>
    read(
      client.POST("/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", {
        params: { path: { webhook_id: id, delivery_id: delivery.id } },
      }),
    ),
  );
}
