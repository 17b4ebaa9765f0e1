// The images of runs, with their layout scores.
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ImageItem, Layout } from "../../api/client";
import { imageOfRunQuery, layoutQuery } from "../../features/image/queries";
import type { ImageFacts } from "../../features/run/compare/figures";

const LOOK_AGAIN_MS = 5_000;

const imagesOf = (results: UseQueryResult<ImageItem | null>[]) => results.map(({ data }) => data ?? null);
const scoresOf = (results: UseQueryResult<Layout>[]) =>
  results.map(({ data }) => data?.files?.layout_score ?? null);

/** Returns the images of the runs; a run that ends while the page is open gets its image then. */
export function useImagesOf(run_ids: readonly number[]): ReadonlyMap<number, ImageFacts> {
  const images = useQueries({
    queries: run_ids.map((run_id) => ({
      ...imageOfRunQuery(run_id),
      refetchInterval: ({ state }: { state: { data?: unknown } }) => (state.data ? false : LOOK_AGAIN_MS),
    })),
    combine: imagesOf,
  });
  const scores = useQueries({
    queries: images.map((image, place) => ({
      ...layoutQuery(image?.id ?? -1 - place),
      enabled: image !== null,
    })),
    combine: scoresOf,
  });
  return useMemo(() => {
    const facts = run_ids.flatMap((run_id, place) => {
      const image = images[place];
      if (image == null) return [];
      return [[run_id, { id: image.id, name: image.name, layout_score: scores[place] ?? null }] as const];
    });
    return new Map(facts);
  }, [run_ids, images, scores]);
}
