// One run, with links to its image and to further runs.
import { useParams } from "@tanstack/react-router";
import { LostHost } from "../../features/host/LostHost";
import { ImageOfRun } from "../../features/image/ImageOfRun";
import { NotifyMe } from "../../features/notice/NotifyMe";
import { RunView } from "../../features/run/RunView";
import { ExtendRun } from "../extend/ExtendRun";
import { RunBlockMap } from "../run/RunBlockMap";
import { NotFoundPage } from "./NotFoundPage";

export function RunPage() {
  const id = useParams({ from: "/runs/$runId" }).runId;
  const run_id = Number(id);
  if (!Number.isSafeInteger(run_id) || run_id < 1) return <NotFoundPage />;
  const whenSucceeded = (
    <>
      <ExtendRun run_id={run_id} />
      <ImageOfRun run_id={run_id} />
    </>
  );
  const bell = <NotifyMe run_id={run_id} />;
  return (
    <RunView
      key={run_id}
      run_id={run_id}
      whenSucceeded={whenSucceeded}
      bell={bell}
      hostNotice={(run) => <LostHost host={run.device.host} run_ids={[run.id]} />}
      blockMap={(space, isSucceeded) => (
        <RunBlockMap run_id={run_id} space={space} isSucceeded={isSucceeded} />
      )}
    />
  );
}
