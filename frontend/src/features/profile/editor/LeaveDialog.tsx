// Asks whether to keep or discard unsaved changes when the user leaves the page.
import { Button, Group } from "@mantine/core";
import type { DraftStore } from "./draft/store";
import { useLeaving } from "./useLeaving";
import { Dialog } from "../../../shared/ui/Dialog";

export function LeaveDialog({ store }: { store: DraftStore }) {
  const leaving = useLeaving(store);
  if (leaving === null) return null;
  const discard = () => {
    store.forget();
    leaving.goOn();
  };
  return (
    <Dialog onClose={leaving.stay} title="Leave with unsaved changes?">
      <p>
        The changes to these histograms are not saved as a version. This browser can keep them until you come
        back.
      </p>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="subtle" color="danger" onClick={discard}>
          Discard the changes
        </Button>
        <Button variant="default" onClick={leaving.goOn}>
          Leave, keep the draft
        </Button>
        <Button onClick={leaving.stay} data-autofocus>
          Stay
        </Button>
      </Group>
    </Dialog>
  );
}
