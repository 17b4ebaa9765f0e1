// Gives an image another name.
import { Button, Group, Modal, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Image } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useChangeImage } from "./queries";

function RenameForm({ image, onClose }: { image: Image; onClose: () => void }) {
  const change = useChangeImage(image);
  const [name, setName] = useState(image.name);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate({ name: name.trim() }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        description="Letters, digits, dots, dashes and underscores"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      {change.isError && <RefusalNotice error={change.error} />}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={change.isPending} disabled={name.trim() === image.name}>
          Rename
        </Button>
      </Group>
    </form>
  );
}

export function RenameImage({ image }: { image: Image }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Rename
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Rename ${image.name}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <RenameForm image={image} onClose={() => setOpen(false)} />
      </Modal>
    </>
  );
}
