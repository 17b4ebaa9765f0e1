// One job in the panel: its subject, its progress, and its actions.
import { Button, Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { JobItem } from "../../api/client";
import { isEnded, placeOf, shareOf, toneOf } from "../../shared/job";
import { Exact } from "../../shared/ui/Exact";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { formatDuration, formatTime, seconds } from "../../shared/units";
import classes from "./JobRow.module.css";
import { useAskJob } from "./queries";
import { messageOf, progressOf, subjectOf, titleOf } from "./words";

function Title({ job }: { job: JobItem }) {
  const title = `${titleOf(job)} ${job.id}`;
  if (job.kind !== "run") return <span className={classes.name}>{title}</span>;
  return (
    <Link {...placeOf(job.kind, job.id)} className="patina-link">
      {title}
    </Link>
  );
}

function Far({ job }: { job: JobItem }) {
  const said = progressOf(job);
  if (job.state !== "running" || said === null) return null;
  const share = shareOf(job);
  const left = job.eta_s === null ? "" : `, about ${formatDuration(seconds(job.eta_s)).text} left`;
  return (
    <div className={classes.bar}>
      {share !== null && (
        <Progress value={100 * share} aria-label={`${titleOf(job)} ${job.id}`} transitionDuration={0} />
      )}
      <span className={classes.quiet}>
        {said}
        {left}
      </span>
    </div>
  );
}

function Buttons({ job }: { job: JobItem }) {
  const stop = useAskJob("stop");
  const retry = useAskJob("retry");
  const isStopping = job.state === "canceling";
  const name = `${titleOf(job)} ${job.id}`;
  return (
    <>
      <div className={classes.buttons}>
        {job.is_retriable && (
          <Button
            variant="default"
            size="compact-sm"
            loading={retry.isPending}
            onClick={() => retry.mutate(job)}
            aria-label={`Try again: ${name}`}
          >
            Try again
          </Button>
        )}
        {!isEnded(job.state) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={stop.isPending}
            disabled={isStopping}
            onClick={() => stop.mutate(job)}
            aria-label={`${isStopping ? "Stopping" : "Stop"}: ${name}`}
          >
            {isStopping ? "Stopping" : "Stop"}
          </Button>
        )}
      </div>
      {stop.isError && <RefusalNotice error={stop.error} />}
      {retry.isError && <RefusalNotice error={retry.error} />}
    </>
  );
}

export function JobRow({ job, isChosen, hasHosts }: { job: JobItem; isChosen: boolean; hasHosts: boolean }) {
  const isBad = job.state === "failed" || job.state === "interrupted";
  return (
    <li
      className={classes.row}
      aria-label={`${titleOf(job)} ${job.id}`}
      aria-current={isChosen || undefined}
      ref={(row) => {
        if (isChosen) row?.scrollIntoView({ block: "nearest" });
      }}
    >
      <div className={classes.head}>
        <Title job={job} />
        <StateMark tone={toneOf[job.state]}>{job.state}</StateMark>
      </div>
      <p className={classes.quiet}>
        <span className="mono">{subjectOf(job)}</span>
        {hasHosts && ` on ${job.host.name}`}, <Exact value={formatTime(job.created_at)} />
        {job.is_automatic && ", scheduled"}
        {job.attempt > 1 && `, attempt ${job.attempt}`}
      </p>
      <p role={isBad ? "alert" : undefined} className={classes.message}>
        {messageOf(job)}
      </p>
      <Far job={job} />
      <Buttons job={job} />
    </li>
  );
}
