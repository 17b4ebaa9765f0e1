// What is chosen to be compared, and the way there. Always there, so that choosing moves nothing.
import { Button } from "@mantine/core";
import { LinkButton } from "../../../shared/ui/LinkButton";
import classes from "./ChosenRuns.module.css";
import { listed, RUNS_LIMIT } from "./runIds";

function sentenceOf(chosen: readonly number[]): string {
  const [only] = chosen;
  if (only === undefined) return `Choose two to ${RUNS_LIMIT} runs to compare them.`;
  if (chosen.length === 1) return `Run ${only} is chosen: with which others is it to be compared?`;
  const most = chosen.length === RUNS_LIMIT ? ", as many as can be compared" : "";
  return `Runs ${listed(chosen)} are chosen${most}.`;
}

export function ChosenRuns({ chosen, onClear }: { chosen: readonly number[]; onClear: () => void }) {
  const mayCompare = chosen.length >= 2;
  return (
    <div className={classes.bar} role="region" aria-label="Chosen runs">
      <span role="status">{sentenceOf(chosen)}</span>
      <span className={classes.verbs}>
        <Button variant="subtle" disabled={chosen.length === 0} onClick={onClear}>
          Choose none
        </Button>
        {mayCompare ? (
          <LinkButton to="/runs/compare" search={{ ids: chosen.join() }}>
            Compare {chosen.length} runs
          </LinkButton>
        ) : (
          <Button disabled>Compare runs</Button>
        )}
      </span>
    </div>
  );
}
