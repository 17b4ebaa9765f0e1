// One run, with the way to its image.
import { ImageOfRun } from "../../features/image/ImageOfRun";
import { RunView } from "../../features/run/RunView";
import { NotFoundPage } from "./NotFoundPage";

export function RunPage({ id }: { id: string }) {
  const run_id = Number(id);
  if (!Number.isSafeInteger(run_id) || run_id < 1) return <NotFoundPage />;
  return <RunView key={run_id} run_id={run_id} imageLink={<ImageOfRun run_id={run_id} />} />;
}
