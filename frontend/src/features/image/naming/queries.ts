// Queries on names, tags and the description of an image.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, finished, read, type Image, type ImageChange } from "../../../api/client";
import { imageQuery } from "../queries";

export const namingsQuery = (image_id: number) =>
  queryOptions({
    queryKey: ["images", image_id, "namings"],
    queryFn: async () =>
      (await read(client.GET("/api/v1/images/{image_id}/namings", { params: { path: { image_id } } }))).items,
  });

/** Returns a function that shows the changed image, and reads the lists again. */
function useShown(image_id: number) {
  const queries = useQueryClient();
  return async (image?: Image) => {
    if (image !== undefined) queries.setQueryData(imageQuery(image_id).queryKey, image);
    await queries.invalidateQueries({ queryKey: ["images"] });
  };
}

export function useChangeImage({ id: image_id }: Image) {
  const shown = useShown(image_id);
  return useMutation({
    mutationFn: (body: ImageChange) =>
      read(client.PATCH("/api/v1/images/{image_id}", { params: { path: { image_id } }, body })),
    onSuccess: shown,
  });
}

export function useSetTag({ id: image_id }: Image) {
  const shown = useShown(image_id);
  return useMutation({
    mutationFn: (reference: string) =>
      read(
        client.POST("/api/v1/images/{image_id}/tags", {
          params: { path: { image_id } },
          body: { reference },
        }),
      ),
    onSuccess: shown,
  });
}

export function useRemoveTag({ id: image_id }: Image) {
  const shown = useShown(image_id);
  return useMutation({
    mutationFn: (reference: string) =>
      finished(
        client.DELETE("/api/v1/images/{image_id}/tags", {
          params: { path: { image_id }, query: { reference } },
        }),
      ),
    onSettled: () => shown(),
  });
}
