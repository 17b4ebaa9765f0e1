// The place of a queued run: what is ahead of it on its device, and when it is expected to start.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { JobAhead, Run } from "../../../api/client";
import { placeOf } from "../../../shared/job";
import { TextLines } from "../../../shared/ui/waiting/shapes";
import { Panel } from "../../../shared/ui/Panel";
import { queueQuery } from "../queries";
import { deviceOf } from "../words";
import { doesOf, nameOfAhead, ordinal, startOf } from "./words";

function Ahead({ job }: { job: JobAhead }) {
  const name = nameOfAhead(job);
  return (
    <li>
      {job.id === null ? (
        name
      ) : (
        <Link {...placeOf(job.kind, job.id)} className="patina-link">
          {name}
        </Link>
      )}{" "}
      {doesOf(job)}
    </li>
  );
}

export function InQueue({ run }: { run: Run }) {
  const queue = useQuery(queueQuery(run.id));
  return (
    <section aria-labelledby="queue">
      <div className="patina-section">
        <h2 id="queue">Queue</h2>
      </div>
      <Panel query={queue} skeleton={<TextLines count={2} />}>
        {({ ahead }) =>
          ahead.length === 0 ? (
            <p>
              Nothing is ahead of run {run.id} on <span className="mono">{deviceOf(run)}</span>. It starts
              when the worker of host {run.device.host.name} is free.
            </p>
          ) : (
            <>
              <p>
                Run {run.id} is {ordinal(ahead.length)} in the queue of{" "}
                <span className="mono">{deviceOf(run)}</span>. Expected start: {startOf(ahead)}.
              </p>
              <ol aria-label="Ahead of this run">
                {ahead.map((job, place) => (
                  <Ahead key={job.id ?? `private ${place}`} job={job} />
                ))}
              </ol>
            </>
          )
        }
      </Panel>
    </section>
  );
}
