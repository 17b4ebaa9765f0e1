// Deletes an image after a confirmation that shows the freed space and the dependent devices.
import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Deletion, Image } from "../../api/client";
import { Dialog } from "../../shared/ui/Dialog";
import { Exact } from "../../shared/ui/Exact";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes, formatDuration, seconds } from "../../shared/units";
import { deletionQuery, useDeleteImage } from "./queries";
import { TextLines } from "../../shared/ui/waiting/shapes";

function Consequences({ deletion }: { deletion: Deletion }) {
  return (
    <>
      {deletion.frees_bytes === null || deletion.shared_bytes === null ? (
        <p>Its chunks are in another host&apos;s store: the freed space is not known here.</p>
      ) : (
        <p>
          It frees <Exact value={formatBytes(bytes(deletion.frees_bytes))} /> of the store. Of its chunks,{" "}
          <Exact value={formatBytes(bytes(deletion.shared_bytes))} /> belong to other images too, and stay.
        </p>
      )}
      {deletion.devices.length > 0 && (
        <p>
          Held by <strong>{deletion.devices.join(", ")}</strong>: a rollback there needs this image, and is
          possible until the deletion is permanent.
        </p>
      )}
      <p>
        The deletion can be undone for <Exact value={formatDuration(seconds(deletion.grace_s))} />. Then it is
        permanent, and the space is free.
      </p>
    </>
  );
}

interface Props {
  image: Image;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteImage({ image, onClose, onDeleted }: Props) {
  const deletion = useQuery(deletionQuery(image.id));
  const remove = useDeleteImage();
  return (
    <Dialog onClose={onClose} title={`Delete ${image.name}?`}>
      <Stack gap="md">
        <Panel query={deletion} skeleton={<TextLines count={3} />}>
          {(data) => <Consequences deletion={data} />}
        </Panel>
        {remove.isError && <RefusalNotice error={remove.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button
            color="copper"
            disabled={!deletion.isSuccess}
            loading={remove.isPending}
            onClick={() => remove.mutate(image, { onSuccess: onDeleted })}
          >
            Delete {image.name}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
