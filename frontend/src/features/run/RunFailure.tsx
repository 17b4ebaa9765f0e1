// The failure of a run: code, message, and the end of the core's log.
import { Link } from "@tanstack/react-router";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Run } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import classes from "./RunFailure.module.css";
import { deviceOf } from "./words";

export function RunFailure({ run }: { run: Run }) {
  return (
    <section role="alert" className={classes.failure} aria-label="Failure">
      <h2 className={classes.title}>
        <IconAlertTriangle size={20} aria-hidden />
        Run {run.id} {run.state}
        {run.phase !== null && ` in ${run.phase}`}
      </h2>
      <p>{run.message}</p>
      {run.error_code !== null && <Copyable text={run.error_code} what="error code" />}
      {run.error_log !== null && run.error_log !== "" && (
        <pre className={classes.log} aria-label="End of the core's log" tabIndex={0}>
          {run.error_log}
        </pre>
      )}
      <p>
        It ran on <span className="mono">{deviceOf(run)}</span>. <Link to="/devices">Go to the devices</Link>{" "}
        to check its content or to age it again.
      </p>
    </section>
  );
}
