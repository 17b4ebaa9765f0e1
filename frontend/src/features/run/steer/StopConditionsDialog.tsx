// Changes the stop conditions of a running run. They are in force once the core has revised its plan.
import { Button, Group, Stack } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Run } from "../../../api/client";
import { Dialog } from "../../../shared/ui/Dialog";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useChangeStopConditions } from "../queries";
import { conditionsOf, draftOf, StopConditionsFields, type Draft } from "./StopConditionsFields";

export function StopConditionsDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const change = useChangeStopConditions(run.id);
  const [draft, setDraft] = useState(() => draftOf(run.asked_conditions ?? run));
  const conditions = conditionsOf(draft);
  const onChange = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (conditions !== null) change.mutate(conditions, { onSuccess: onClose });
  };
  return (
    <Dialog onClose={onClose} title={`Stop conditions of run ${run.id}`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <StopConditionsFields draft={draft} isPlanned={run.workload === null} onChange={onChange} />
          {run.workload === null && (
            <p className="patina-quiet">
              The plan is revised from the run&apos;s present state; no work is lost.
            </p>
          )}
          {change.isError && <RefusalNotice error={change.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={conditions === null} loading={change.isPending}>
              Change the stop conditions
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
