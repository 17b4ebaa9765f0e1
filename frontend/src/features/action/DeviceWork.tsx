// What is done on a device: the job that holds it, the jobs that wait, or the outcome of the last.
import { Button, Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Action, DeviceItem, DeviceJob, TrafficRate } from "../../api/client";
import { pathOf } from "../../shared/device";
import { nameOf, placeOf, shareOf } from "../../shared/job";
import { later } from "../../shared/later";
import { May } from "../../shared/ui/May";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes, formatDuration, formatFraction, fraction, seconds } from "../../shared/units";
import classes from "./DeviceWork.module.css";
import { useStopAction } from "./queries";
import { sentenceOf, titles, trafficOf } from "./words";

const Copyable = later(async () => (await import("../../shared/ui/Copyable")).Copyable);

function isAction(kind: string): kind is Action["kind"] {
  return kind in titles;
}

function titleOf(job: DeviceJob): string {
  return isAction(job.kind) ? titles[job.kind] : `${nameOf(job)}.`;
}

function Bar({ job }: { job: DeviceJob }) {
  const share = shareOf(job);
  if (share === null) return null;
  return (
    <div className={classes.bar}>
      <Progress value={100 * share} aria-label={titleOf(job)} transitionDuration={0} />
      <span className={classes.words} aria-hidden>
        {Math.floor(100 * share)} %
      </span>
    </div>
  );
}

function TimeLeft({ job: { eta_s } }: { job: DeviceJob }) {
  if (eta_s === null) return null;
  return <> About {formatDuration(seconds(eta_s)).text} left.</>;
}

function Title({ job }: { job: DeviceJob }) {
  if (isAction(job.kind)) return <strong>{titleOf(job)}</strong>;
  return (
    <Link {...placeOf(job.kind, job.id)} className="patina-link">
      {nameOf(job)}
    </Link>
  );
}

function Stop({ job }: { job: DeviceJob }) {
  const stop = useStopAction();
  const isTrace = job.kind === "trace";
  const isStopping = job.stop_requested_at !== null;
  return (
    <>
      <Button
        variant="default"
        loading={stop.isPending}
        disabled={isStopping}
        onClick={() => stop.mutate(job)}
      >
        {isStopping ? "Stopping" : isTrace ? "Stop the trace" : "Cancel"}
      </Button>
      {stop.isError && (
        <div className={classes.refusal}>
          <RefusalNotice error={stop.error} />
        </div>
      )}
    </>
  );
}

function Traffic({ traffic }: { traffic: TrafficRate }) {
  const rate = (value: number) => `${formatBytes(bytes(value)).text}/s`;
  return (
    <p className={classes.words}>
      Reads {rate(traffic.read_bytes_per_s)}, writes {rate(traffic.written_bytes_per_s)}, busy{" "}
      {formatFraction(fraction(traffic.busy_fraction)).text} of the time.
    </p>
  );
}

/** What to type while the trace records; nothing once the device is mounted. */
function Mount({ device }: { device: DeviceItem }) {
  if ((device.facts?.mounted_at.length ?? 0) > 0) return null;
  return <Copyable text={`sudo mount ${pathOf(device)} /mnt`} what="the command that mounts it" isBlock />;
}

interface ActiveProps {
  device: DeviceItem;
  job: DeviceJob;
  traffic: TrafficRate | null;
  waiting_count: number;
}

function Active({ device, job, traffic, waiting_count }: ActiveProps) {
  return (
    <div className={classes.action} role="status">
      <div className={classes.head}>
        <p className={classes.words}>
          <Title job={job} /> {sentenceOf(job.message)}
          {job.armed_at != null && ` Touched so far: ${formatBytes(bytes(job.done)).text}.`}
          <TimeLeft job={job} />
        </p>
        {isAction(job.kind) && job.is_changeable && (
          <May needs="member">
            <Stop job={job} />
          </May>
        )}
      </div>
      <Bar job={job} />
      {job.armed_at != null && job.stop_requested_at === null && <Mount device={device} />}
      {traffic !== null && <Traffic traffic={traffic} />}
      {waiting_count > 0 && (
        <p className={classes.words}>{waiting_count === 1 ? "1 job waits" : `${waiting_count} jobs wait`}</p>
      )}
    </div>
  );
}

/** Says nothing of a run that succeeded: the device holds its image. */
function Outcome({ job }: { job: DeviceJob }) {
  const isBad = job.state === "failed" || job.state === "interrupted";
  if (isBad)
    return (
      <p className={classes.words} data-tone="bad" role="alert">
        <Title job={job} /> {job.state === "failed" ? "Failed." : "Interrupted."} {job.message}
      </p>
    );
  return isAction(job.kind) ? <p className={classes.words}>{job.message}</p> : null;
}

export function DeviceWork({ device }: { device: DeviceItem }) {
  const { jobs, last_job } = device;
  const [first, ...others] = jobs;
  if (first !== undefined && first.state !== "interrupted")
    return <Active device={device} job={first} traffic={trafficOf(device)} waiting_count={others.length} />;
  const ended = first ?? last_job;
  return ended === null ? null : <Outcome job={ended} />;
}
