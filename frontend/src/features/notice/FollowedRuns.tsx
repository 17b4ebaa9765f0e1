// The runs that this browser follows, and its permission to notify.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { unfollow, useFollowedRuns } from "./following";
import { askForPermission, usePermission, whatToDo } from "./permission";

export function FollowedRuns() {
  const permission = usePermission();
  const run_ids = Object.keys(useFollowedRuns()).map(Number);
  const said = whatToDo[permission];
  return (
    <>
      {said !== null && <p role="note">{said}</p>}
      {permission === "default" && (
        <Button variant="default" mb="md" onClick={() => void askForPermission()}>
          Allow notifications here
        </Button>
      )}
      {run_ids.length === 0 ? (
        <p className="patina-quiet">
          No run is followed in this browser. Click the bell of a{" "}
          <Link to="/runs" className="patina-link">
            run
          </Link>{" "}
          to be notified when it ends or needs attention; keep a tab of Patina open meanwhile.
        </p>
      ) : (
        <ul className="patina-list" aria-label="Followed runs">
          {run_ids.map((run_id) => (
            <li key={run_id}>
              <Link to="/runs/$runId" params={{ runId: String(run_id) }} className="patina-link">
                Run {run_id}
              </Link>{" "}
              <Button variant="subtle" size="compact-sm" onClick={() => unfollow(run_id)}>
                Do not notify me of run {run_id}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
