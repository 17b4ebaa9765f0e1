// Queries on images.
import {
  infiniteQueryOptions,
  queryOptions,
  skipToken,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import {
  client,
  finished,
  read,
  Refusal,
  type Image,
  type ImageDownload,
  type ImageSearch,
  type ImageSort,
  type Sharing,
} from "../../api/client";

export const imagesQuery = (search: ImageSearch & { sort?: ImageSort } = {}) =>
  infiniteQueryOptions({
    queryKey: ["images", "list", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...search, ...(pageParam !== null && { cursor: pageParam }) };
      return read(client.GET("/api/v1/images", { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 5_000,
  });

/** The images of these ids, without those that were deleted. */
export const imagesOfQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ["images", "of", ids],
    queryFn: async () => {
      const query = { id: [...ids], limit: 200 };
      return ids.length === 0 ? [] : (await read(client.GET("/api/v1/images", { params: { query } }))).items;
    },
    staleTime: 60_000,
  });

export const facetsQuery = (search: ImageSearch) =>
  queryOptions({
    queryKey: ["images", "list", "facets", search],
    queryFn: ({ signal }) => read(client.GET("/api/v1/images/facets", { params: { query: search }, signal })),
    refetchInterval: 15_000,
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

export const layoutQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "layout"],
    queryFn: () => read(client.GET("/api/v1/images/{image_id}/layout", { params: { path: { image_id } } })),
    staleTime: Infinity,
    retry: false,
  });

export const usesQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "use"],
    queryFn: () => read(client.GET("/api/v1/images/{image_id}/use", { params: { path: { image_id } } })),
  });

/** The difference of two images: immutable, as images are. */
export const differenceQuery = (first: number, second: number) =>
  queryOptions({
    queryKey: ["images", first, "difference", second],
    queryFn: ({ signal }) =>
      read(
        client.GET("/api/v1/images/{image_id}/difference", {
          params: { path: { image_id: first }, query: { other: second } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

export const downloadsQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "downloads"],
    queryFn: () =>
      read(client.GET("/api/v1/images/{image_id}/downloads", { params: { path: { image_id } } })),
  });

/** Requests a digest. A long one is still running when this returns; the downloads show its progress. */
export function useDigest(image_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (format: ImageDownload["format"]) => {
      try {
        await read(
          client.GET("/api/v1/images/{image_id}/download/{format_name}.sha256", {
            params: { path: { image_id, format_name: format } },
            parseAs: "text",
          }),
        );
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "digest_pending") throw error;
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: downloadsQuery(image_id).queryKey }),
  });
}

export const deletionQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "deletion"],
    queryFn: () => read(client.GET("/api/v1/images/{image_id}/deletion", { params: { path: { image_id } } })),
    staleTime: 0,
  });

export const deletedImagesQuery = queryOptions({
  queryKey: ["images", "deleted"],
  queryFn: async () => (await read(client.GET("/api/v1/images/deleted"))).items,
  refetchInterval: 10_000,
});

type Deleted = Pick<Image, "id" | "name">;
const JUST_DELETED = ["just deleted"];

/** The image that this page deleted last, until it is brought back or the notice is dismissed; and its dismissal. */
export function useJustDeleted(): [Deleted | null, () => void] {
  const queries = useQueryClient();
  const { data = null } = useQuery<Deleted | null>({
    queryKey: JUST_DELETED,
    queryFn: skipToken,
    staleTime: Infinity,
  });
  return [data, () => queries.setQueryData(JUST_DELETED, null)];
}

export function useDeleteImage() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Image) =>
      finished(client.DELETE("/api/v1/images/{image_id}", { params: { path: { image_id: id } } })),
    onSuccess: (_, { id, name }) => {
      queries.setQueryData(JUST_DELETED, { id, name });
      return Promise.all(
        ["list", "deleted"].map((kind) => queries.invalidateQueries({ queryKey: ["images", kind] })),
      );
    },
  });
}

/** `onBack` is called even if what asked for it has left the page by then. */
export function useBringBackImage(onBack?: (image_id: number) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (image_id: number) =>
      finished(client.POST("/api/v1/images/{image_id}/bring-back", { params: { path: { image_id } } })),
    onSuccess: (_, image_id) => {
      onBack?.(image_id);
      return queries.invalidateQueries({ queryKey: ["images"] });
    },
  });
}

export function useShareImage({ id: image_id }: Image) {
  const queries = useQueryClient();
  const params = { path: { image_id } };
  return useMutation({
    mutationFn: (body: Sharing) => read(client.PUT("/api/v1/images/{image_id}/sharing", { params, body })),
    onSuccess: (image) => {
      queries.setQueryData(imageQuery(image_id).queryKey, image);
      return queries.invalidateQueries({ queryKey: ["images", "list"] });
    },
  });
}
