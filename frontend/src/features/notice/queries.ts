// Queries on notices.
import { queryOptions, useMutation } from "@tanstack/react-query";
import { client, read } from "../../api/client";
import { follow } from "./following";

const PERIOD_MS = 5_000;

async function latestNotices(run_ids: readonly number[]) {
  return (await read(client.GET("/api/v1/notices", { params: { query: { job_id: [...run_ids] } } }))).items;
}

/** Polls also while the page is hidden, which is its purpose. */
export const noticesQuery = (run_ids: readonly number[]) =>
  queryOptions({
    queryKey: ["notices", ...run_ids],
    queryFn: () => latestNotices(run_ids),
    enabled: run_ids.length > 0,
    refetchInterval: PERIOD_MS,
    refetchIntervalInBackground: true,
    staleTime: 0,
  });

/** Follows a run from the newest notice on. */
export function useFollowRun(run_id: number) {
  return useMutation({
    mutationFn: async () => {
      const [latest] = await latestNotices([run_id]);
      follow(run_id, latest?.id ?? 0);
    },
  });
}
