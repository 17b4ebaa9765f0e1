// A batch: the comparison of its runs.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { batchQuery } from "../../features/batch/queries";
import { StopBatch } from "../../features/batch/StopBatch";
import { goalOf, statesOf } from "../../features/batch/words";
import { CompareSkeleton } from "../../features/run/compare/CompareView";
import { PageHeader } from "../../shared/ui/PageHeader";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatTime } from "../../shared/units";
import { Comparison } from "../compare/Comparison";
import { NotFoundPage } from "./NotFoundPage";

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
  const run_ids = batch.runs.map(({ id }) => id);
  return (
    <>
      <PageHeader
        title={`Batch ${batch.id}`}
        tab={`${statesOf(batch)} · Batch ${batch.id}`}
        action={<StopBatch batch={batch} />}
      >
        {goalOf(batch)}, since <span title={created.exact}>{created.text}</span>: {statesOf(batch)}
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
