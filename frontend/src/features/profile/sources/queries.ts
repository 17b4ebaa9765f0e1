// Queries on sources of histograms: files and pasted text, fits, and scans of directories.
import { queryOptions, useMutation } from "@tanstack/react-query";
import {
  client,
  read,
  type FitCreate,
  type HistogramName,
  type ProfileReading,
  type ScanCreate,
} from "../../../api/client";
import { isAtRest } from "../../../shared/job";

/** The input of a reading: files or text, with the histogram of two columns that do not name it. */
export type ReadingAsked =
  | { files: readonly File[]; histogram?: HistogramName }
  | { text: string; histogram: HistogramName };

function formOf(asked: ReadingAsked): FormData {
  const form = new FormData();
  if ("files" in asked) for (const file of asked.files) form.append("files", file, file.name);
  else form.append("text", asked.text);
  if (asked.histogram !== undefined) form.append("histogram", asked.histogram);
  return form;
}

export function useReading() {
  return useMutation({
    mutationFn: (asked: ReadingAsked): Promise<ProfileReading> =>
      read(
        client.POST("/api/v1/profile_readings", {
          body: {},
          bodySerializer: () => formOf(asked),
        }),
      ),
  });
}

export const fitQuery = (asked: FitCreate) =>
  queryOptions({
    queryKey: ["fit", asked],
    queryFn: () => read(client.POST("/api/v1/fits", { body: asked })),
    staleTime: Infinity,
    retry: false,
  });

const ASK_EVERY_MS = 500;

export function useStartScan() {
  return useMutation({
    mutationFn: (body: ScanCreate) => read(client.POST("/api/v1/scans", { body })),
  });
}

export const scanQuery = (scan_id: number) =>
  queryOptions({
    queryKey: ["scan", scan_id],
    queryFn: () => read(client.GET("/api/v1/scans/{scan_id}", { params: { path: { scan_id } } })),
    refetchInterval: ({ state }) => (state.data && isAtRest(state.data.state) ? false : ASK_EVERY_MS),
  });

export function useCancelScan() {
  return useMutation({
    mutationFn: (scan_id: number) =>
      read(client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: scan_id } } })),
  });
}
