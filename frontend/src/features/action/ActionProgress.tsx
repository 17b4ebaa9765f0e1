// The progress of the newest action on a device, or its failure.
import { Button, Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Action, Device } from "../../api/client";
import { isAtRest, shareOf } from "../../shared/job";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./ActionProgress.module.css";
import { newestActionQuery, useStopAction } from "./queries";
import { titleOf } from "./words";

function Bar({ action }: { action: Action }) {
  const share = shareOf(action);
  if (share === null) return null;
  return <Progress value={100 * share} aria-label={titleOf(action)} transitionDuration={0} />;
}

function Active({ action }: { action: Action }) {
  const stop = useStopAction();
  const isStopping = action.stop_requested_at !== null;
  const isTrace = action.kind === "trace";
  return (
    <div className={classes.action} role="status">
      <p className={classes.words}>
        <strong>{titleOf(action)}</strong> {action.message}
        {action.armed_at !== null && ` Touched so far: ${formatBytes(bytes(action.done)).text}.`}
      </p>
      <Bar action={action} />
      {stop.isError && <RefusalNotice error={stop.error} />}
      <div>
        <Button
          variant="default"
          loading={stop.isPending}
          disabled={isStopping}
          onClick={() => stop.mutate(action)}
        >
          {isStopping ? "Stopping" : isTrace ? "Stop the trace" : "Cancel"}
        </Button>
      </div>
    </div>
  );
}

export function ActionProgress({ device }: { device: Device }) {
  const { data: action } = useQuery(newestActionQuery(device.id));
  if (!action) return null;
  if (!isAtRest(action.state)) return <Active action={action} />;
  const isBad = action.state === "failed" || action.state === "interrupted";
  return (
    <p className={classes.words} data-tone={isBad ? "bad" : undefined} role={isBad ? "alert" : undefined}>
      {isBad && <strong>{titleOf(action)} did not end well. </strong>}
      {action.message}
    </p>
  );
}
