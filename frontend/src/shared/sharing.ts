// Who sees an image, a profile or a job.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Shared, type Sharing } from "../api/client";

/** Returns the words for the accounts that see it, for lists; none if everyone does. */
export function restrictionOf(visibility: Shared["visibility"]): string {
  if (visibility === "everyone") return "";
  return visibility === "team" ? "shared with a team" : "private";
}

/** Changes who sees a job; of a run of a batch, who sees all of its runs. */
export function useShareJob(job_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Sharing) =>
      read(client.PUT("/api/v1/jobs/{job_id}/sharing", { params: { path: { job_id } }, body })),
    onSuccess: () =>
      Promise.all(
        ["runs", "batches", "trials", "studies", "jobs"].map((kind) =>
          queries.invalidateQueries({ queryKey: [kind] }),
        ),
      ),
  });
}
