// A batch: the comparison of its runs.
import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Run } from "../../api/client";
import { batchQuery } from "../../features/batch/queries";
import { StopBatch } from "../../features/batch/StopBatch";
import { goalOf, sharedBy, statesOf } from "../../features/batch/words";
import { CompareSkeleton } from "../../features/run/compare/CompareView";
import { Markdown } from "../../shared/ui/Markdown";
import { PageHeader } from "../../shared/ui/PageHeader";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useShareJob } from "../../shared/sharing";
import { SeenBy } from "../../shared/ui/SeenBy";
import { formatTime } from "../../shared/units";
import { Comparison } from "../compare/Comparison";
import { NotFoundPage } from "./NotFoundPage";

/** Its runs are seen by the same accounts. */
function ShareBatch({ run }: { run: Run }) {
  return <SeenBy shared={run} share={useShareJob(run.id)} />;
}

function ExistingBatch({ batch_id }: { batch_id: number }) {
  const { data: batch, isError, error, refetch } = useQuery(batchQuery(batch_id));
  if (batch === undefined)
    return (
      <>
        <PageHeader title={`Batch ${batch_id}`} />
        {isError ? <RefusalNotice error={error} onRetry={() => void refetch()} /> : <CompareSkeleton />}
      </>
    );
  const created = formatTime(batch.created_at);
  const [name, note] = [sharedBy(batch, "name"), sharedBy(batch, "note")];
  const run_ids = batch.runs.map(({ id }) => id);
  return (
    <>
      <PageHeader
        title={`Batch ${batch.id}`}
        tab={`${statesOf(batch)} · Batch ${batch.id}`}
        action={
          <Group gap="xs">
            {batch.runs.slice(0, 1).map((run) => (
              <ShareBatch key={run.id} run={run} />
            ))}
            <StopBatch batch={batch} />
          </Group>
        }
      >
        {name !== "" && <strong>{name}: </strong>}
        {goalOf(batch)}, since <span title={created.exact}>{created.text}</span>
        {note !== "" && <Markdown text={note} />}
      </PageHeader>
      <Comparison key={run_ids.join()} run_ids={run_ids} />
    </>
  );
}

export function BatchPage() {
  const id = useParams({ from: "/batches/$batchId" }).batchId;
  const batch_id = Number(id);
  if (!Number.isSafeInteger(batch_id) || batch_id < 1) return <NotFoundPage />;
  return <ExistingBatch key={batch_id} batch_id={batch_id} />;
}
