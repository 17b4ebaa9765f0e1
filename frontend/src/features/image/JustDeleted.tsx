// The notice after a deletion, which offers to undo it.
import { Button } from "@mantine/core";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./JustDeleted.module.css";
import { useBringBackImage, useJustDeleted } from "./queries";

export function JustDeleted() {
  const [deleted, forget] = useJustDeleted();
  const bringBack = useBringBackImage();
  if (deleted === null) return null;
  return (
    <div className={classes.notice} role="status">
      <span>Image {deleted.name} is deleted.</span>
      <Button
        variant="default"
        loading={bringBack.isPending}
        onClick={() => bringBack.mutate(deleted.id, { onSuccess: forget })}
      >
        Bring it back
      </Button>
      <Button variant="subtle" color="gray" onClick={forget}>
        Dismiss
      </Button>
      {bringBack.isError && <RefusalNotice error={bringBack.error} />}
    </div>
  );
}
