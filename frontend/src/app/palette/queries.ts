// What the palette asks the server, only while it is open.
import { queryOptions } from "@tanstack/react-query";
import { client, read, Refusal } from "../../api/client";

const STALE_MS = 10_000;

/** Returns what was named; null if there is nothing of that name. */
async function ifThere<Data>(answer: Promise<Data>): Promise<Data | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal && error.status >= 400 && error.status < 500 && error.status !== 401)
      return null;
    throw error;
  }
}

export const newestRunsQuery = queryOptions({
  queryKey: ["palette", "runs"],
  queryFn: async () => (await read(client.GET("/api/v1/runs", { params: { query: { limit: 100 } } }))).items,
  staleTime: STALE_MS,
});

/** The runs with these words in their name, or in one of their tags. */
export const foundRunsQuery = (q: string) =>
  queryOptions({
    queryKey: ["palette", "runs", q],
    queryFn: async ({ signal }) =>
      (await read(client.GET("/api/v1/runs", { params: { query: { limit: 8, q } }, signal }))).items,
    staleTime: STALE_MS,
    enabled: q !== "",
  });

/** The batches, newest first. */
export const newestBatchesQuery = queryOptions({
  queryKey: ["palette", "batches"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/batches", { params: { query: { limit: 100 } } }))).items,
  staleTime: STALE_MS,
});

export const newestTrialsQuery = queryOptions({
  queryKey: ["palette", "trials"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/trials", { params: { query: { limit: 100 } } }))).items,
  staleTime: STALE_MS,
});

export const newestStudiesQuery = queryOptions({
  queryKey: ["palette", "studies"],
  queryFn: async () =>
    (await read(client.GET("/api/v1/studies", { params: { query: { limit: 100 } } }))).items,
  staleTime: STALE_MS,
});

export const foundImagesQuery = (q: string) =>
  queryOptions({
    queryKey: ["palette", "images", q],
    queryFn: async ({ signal }) => {
      const query = { limit: 8, ...(q !== "" && { q }) };
      return (await read(client.GET("/api/v1/images", { params: { query }, signal }))).items;
    },
    staleTime: STALE_MS,
  });

/** The image of a reference: a number, `name:tag` or a digest. */
export const namedImageQuery = (reference: string) =>
  queryOptions({
    queryKey: ["palette", "image", reference],
    queryFn: ({ signal }) =>
      ifThere(read(client.GET("/api/v1/images/named", { params: { query: { reference } }, signal }))),
    staleTime: STALE_MS,
    enabled: /^\d+$|[:@]./.test(reference),
  });

/** The run of a number, which may be older than the newest. */
export const numberedRunQuery = (number: number | null) =>
  queryOptions({
    queryKey: ["palette", "run", number],
    queryFn: ({ signal }) =>
      ifThere(
        read(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: number ?? 0 } }, signal })),
      ),
    staleTime: STALE_MS,
    enabled: number !== null,
  });
