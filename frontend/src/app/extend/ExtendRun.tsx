// Ages a finished run further: the stop conditions of the new run, and the confirmation that names the device.
import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Run } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { nameOf } from "../../shared/device";
import { runQuery, useExtendRun } from "../../features/run/queries";
import {
  draftOf,
  extensionOf,
  StopConditionsFields,
  type Draft,
} from "../../features/run/steer/StopConditionsFields";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";

function ExtendDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const navigate = useNavigate();
  const extend = useExtendRun(run.id);
  const [idempotency_key] = useState(newKey);
  const made_ops_count = run.summary?.ops_count ?? 0;
  const meetsAges = run.plan?.type === "plan" && run.plan.age_rmse === 0;
  const isConverged = run.stop_reason === "converged" || (run.stop_reason === "completed" && meetsAges);
  const [draft, setDraft] = useState<Draft>(() => ({
    ...draftOf({}),
    ...(isConverged && { budget: "exact" }),
    ops: 2 * made_ops_count,
  }));
  const [typed, setTyped] = useState("");
  const conditions = extensionOf(draft, made_ops_count + 1);
  const { device } = run;
  const mayStart = conditions !== null && isConfirmed(device, typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!mayStart) return;
    const { stable_id, size_bytes } = device;
    const confirmation = { stable_id, size_bytes, typed: typed === "" ? null : typed };
    extend.mutate(
      { body: { ...conditions, confirmation, note: "" }, idempotency_key },
      { onSuccess: (made) => void navigate({ to: "/runs/$runId", params: { runId: String(made.id) } }) },
    );
  };
  return (
    <Dialog onClose={onClose} title={`Age run ${run.id} further`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {isConverged && (
            <p>
              Run {run.id} has met its ages. More operations go on replacing files at these ages; they do not
              make the ages more exact. The age RMSE rises at first and falls again towards the end.
            </p>
          )}
          <StopConditionsFields
            draft={draft}
            made_ops_count={made_ops_count}
            isConverged={isConverged}
            onChange={(part) => setDraft((now) => ({ ...now, ...part }))}
          />
          <Confirmation
            device={device}
            typed={typed}
            onType={setTyped}
            consequence={
              <>
                If every byte of <span className="mono">{nameOf(device)}</span> equals the image of run{" "}
                {run.id}, its files are aged further in place and kept as another image; the image of run{" "}
                {run.id} does not change.
              </>
            }
          />
          {extend.isError && <RefusalNotice error={extend.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!mayStart} loading={extend.isPending}>
              Age further
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Shown where aging can continue: a workload has no ages to meet. */
export function ExtendRun({ run_id }: { run_id: number }) {
  const run = useQuery(runQuery(run_id, 0));
  const [isOpen, setOpen] = useState(false);
  // Keeps its place while the run is fetched.
  if (run.isPending)
    return (
      <Button variant="default" disabled>
        Age further…
      </Button>
    );
  if (run.data === undefined || run.data.workload !== null) return null;
  if (!run.data.is_changeable) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Age further…
      </Button>
      {isOpen && <ExtendDialog run={run.data} onClose={() => setOpen(false)} />}
    </>
  );
}
