// A run in the list.
import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunItem } from "../../api/client";
import { restrictionOf } from "../../shared/sharing";
import { StateMark } from "../../shared/ui/StateMark";
import { formatDuration, formatFraction, formatTime, fraction, seconds } from "../../shared/units";
import { isEnded, toneOf } from "../../shared/job";
import classes from "./RunRow.module.css";
import { goalOf } from "../../shared/goal";
import { deviceOf } from "./words";

function outcomeOf(run: RunItem): string {
  if (!run.device.host.is_healthy && !isEnded(run.state))
    return `no heartbeat from host ${run.device.host.name} since ${formatTime(run.device.host.heartbeat_at).text}`;
  if (run.state === "failed") return run.message;
  if (run.age_rmse !== null) return `age RMSE ${formatFraction(fraction(run.age_rmse)).text}`;
  if (run.state !== "running") return "";
  const progress = formatFraction(fraction(run.progress_fraction)).text;
  const left = run.eta_s === null ? "" : `, about ${formatDuration(seconds(run.eta_s)).text} left`;
  return `${run.phase ?? "starting"} ${progress}${left}`;
}

interface Props {
  run: RunItem;
  isChosen: boolean;
  mayChoose: boolean;
  onChoose: () => void;
  bell: ReactNode;
}

export function RunRow({ run, isChosen, mayChoose, onChoose, bell }: Props) {
  const at = formatTime(run.created_at);
  const elapsed =
    run.started_at === null || run.finished_at === null
      ? null
      : formatDuration(seconds((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000));
  return (
    <li className={classes.row}>
      <Checkbox
        aria-label={`Choose run ${run.id}`}
        size="xs"
        className={classes.choice ?? ""}
        checked={isChosen}
        disabled={!mayChoose}
        onChange={onChoose}
      />
      <Link to="/runs/$runId" params={{ runId: String(run.id) }} className={classes.name ?? ""}>
        Run {run.id}
      </Link>
      <span>
        {goalOf(run)} on <span className="mono">{deviceOf(run)}</span>
      </span>
      <StateMark tone={toneOf[run.state]}>{run.state}</StateMark>
      <span className={classes.outcome}>{outcomeOf(run)}</span>
      <span className={classes.quiet}>
        <span title={at.exact}>{at.text}</span>
        {elapsed !== null && <span title={elapsed.exact}>, took {elapsed.text}</span>}
        {run.visibility !== "everyone" && `, ${restrictionOf(run.visibility)}`}
        {run.batch_id !== null && (
          <>
            ,{" "}
            <Link to="/batches/$batchId" params={{ batchId: String(run.batch_id) }} className="patina-link">
              batch {run.batch_id}
            </Link>
          </>
        )}
      </span>
      <span className={classes.bell}>{bell}</span>
    </li>
  );
}
