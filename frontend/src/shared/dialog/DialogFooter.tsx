// The foot of a dialog, in view at any length: what is still missing, a refusal, and the buttons.
import { Button, Group } from "@mantine/core";
import { RefusalNotice } from "../ui/RefusalNotice";
import classes from "./DialogFooter.module.css";

interface Props {
  /** The words of the button that starts. */
  verb: string;
  /** What the start destroys. */
  warning?: string;
  /** What is still to be done; null where nothing is. */
  missing: string | null;
  error: unknown;
  isPending: boolean;
  onClose: () => void;
}

export function DialogFooter({ verb, warning, missing, error, isPending, onClose }: Props) {
  return (
    <div className={classes.foot}>
      {error !== null && error !== undefined && <RefusalNotice error={error} />}
      <Group justify="flex-end" gap="xs">
        <div className={classes.before}>
          {warning !== undefined && <p className={classes.warning}>{warning}</p>}
          <p className={classes.missing} role="status">
            {missing}
          </p>
        </div>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={missing !== null} loading={isPending} className={classes.verb ?? ""}>
          {verb}
        </Button>
      </Group>
    </div>
  );
}
