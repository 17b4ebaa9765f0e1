// One run, with the way to its image.
import { useParams } from "@tanstack/react-router";
import { ImageOfRun } from "../../features/image/ImageOfRun";
import { RunView } from "../../features/run/RunView";
import { NotFoundPage } from "./NotFoundPage";

export function RunPage() {
  const id = useParams({ from: "/runs/$runId" }).runId;
  const run_id = Number(id);
  if (!Number.isSafeInteger(run_id) || run_id < 1) return <NotFoundPage />;
  return <RunView key={run_id} run_id={run_id} imageLink={<ImageOfRun run_id={run_id} />} />;
}
