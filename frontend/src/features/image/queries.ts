// What the page asks of images.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client, read } from "../../api/client";

export const imagesQuery = infiniteQueryOptions({
  queryKey: ["images", "list"],
  queryFn: ({ pageParam }) =>
    read(
      client.GET("/api/v1/images", { params: { query: pageParam === null ? {} : { cursor: pageParam } } }),
    ),
  initialPageParam: null as number | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: 5_000,
});

export const imageQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id],
    queryFn: () => read(client.GET("/api/v1/images/{image_id}", { params: { path: { image_id } } })),
    staleTime: 60_000,
  });

export const imageOfRunQuery = (run_id: number) =>
  queryOptions({
    queryKey: ["images", "of run", run_id],
    queryFn: async () => {
      const page = await read(client.GET("/api/v1/images", { params: { query: { run_id } } }));
      return page.items[0] ?? null;
    },
  });
