// A run whose worker has gone: why, and that it goes on.
import { IconPlayerPause } from "@tabler/icons-react";
import type { Run } from "../../../api/client";
import classes from "../RunFailure.module.css";
import { deviceOf } from "../words";

function onwardOf({ resumes_left_count }: Run): string {
  if (resumes_left_count === 0) return "It does not go on by itself: it goes on when you say so.";
  return "It goes on from its checkpoint by itself, as soon as a worker of its host can.";
}

export function RunInterrupted({ run, said }: { run: Run; said: string }) {
  return (
    <section role="status" className={classes.failure} aria-label="Interrupted">
      <h2 className={classes.title}>
        <IconPlayerPause size={20} aria-hidden />
        Run {run.id} is interrupted
      </h2>
      <p>{said}</p>
      <p>
        {onwardOf(run)} Until then leave <span className="mono">{deviceOf(run)}</span> as it is: it holds what
        the run has made.
      </p>
    </section>
  );
}
