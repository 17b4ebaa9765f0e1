// A notice on an interrupted run: the reason, and how it resumes.
import { IconPlayerPause } from "@tabler/icons-react";
import type { Run } from "../../../api/client";
import classes from "../RunFailure.module.css";
import { deviceOf } from "../words";

function onwardOf({ resumes_left_count }: Run): string {
  if (resumes_left_count === 0) return "It does not resume by itself. Choose “Resume now” to continue.";
  return "It resumes from its checkpoint as soon as a worker of its host is free.";
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
        {onwardOf(run)} Until then do not write to <span className="mono">{deviceOf(run)}</span>: it holds the
        run&apos;s files.
      </p>
    </section>
  );
}
