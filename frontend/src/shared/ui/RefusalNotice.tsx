// A refusal in sentences: the problem, its object and the remedy, with a button to try again.
import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { explain } from "../../api/refusal";
import classes from "./RefusalNotice.module.css";

export function RefusalNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, sentence, next } = explain(error);
  return (
    <div role="alert" className={classes.notice}>
      <IconAlertTriangle size={20} aria-hidden className={classes.icon} />
      <div className={classes.words}>
        <strong>{title}</strong>
        <p>{sentence}</p>
        {next !== null && <p className={classes.next}>{next}</p>}
        {onRetry !== undefined && (
          <Button variant="default" mt="xs" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
