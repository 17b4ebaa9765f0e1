// Fields for a replay: the operation log, and whether only its survivors are created.
import { Select, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { RunItem } from "../../api/client";
import { recordedRunsQuery } from "../../features/run/queries";
import { deviceOf } from "../../features/run/words";
import { goalOf } from "../../shared/goal";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./AgeDialog.module.css";
import type { Goal } from "./goal";

interface Props {
  goal: Goal;
  host: { id: number; name: string };
  onChange: (goal: Goal) => void;
}

function wordsOf(run: RunItem): string {
  const size = formatBytes(bytes(run.operation_log_bytes ?? 0)).text;
  return `Run ${run.id}: ${goalOf(run)}, ${run.file_system} on ${deviceOf(run)} (log of ${size})`;
}

export function ReplayFields({ goal, host, onChange }: Props) {
  const recorded = useQuery(recordedRunsQuery(host.id));
  if (recorded.isError)
    return <RefusalNotice error={recorded.error} onRetry={() => void recorded.refetch()} />;
  if (recorded.data?.length === 0) {
    return (
      <p className={classes.description}>
        No run on host {host.name} has kept its operation log. Age a device with &ldquo;Keep the operation
        log&rdquo;, under More; then its run can be replayed here.
      </p>
    );
  }
  return (
    <>
      <Select
        label="Run to replay"
        placeholder="Choose a run that has kept its operation log"
        data={(recorded.data ?? []).map((run) => ({ value: String(run.id), label: wordsOf(run) }))}
        value={goal.replay_of === null ? null : String(goal.replay_of)}
        onChange={(value) => value !== null && onChange({ ...goal, replay_of: Number(value) })}
        disabled={recorded.isPending}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <Switch
        label="Only the files that are left"
        description={
          goal.survivors
            ? "The unaged twin: each surviving file is created once, in the order of its creation."
            : "The whole log. On a larger device it makes the empty twin: the same files with more free space."
        }
        styles={{ description: { fontSize: 13 } }}
        checked={goal.survivors}
        onChange={(event) => onChange({ ...goal, survivors: event.currentTarget.checked })}
      />
    </>
  );
}
