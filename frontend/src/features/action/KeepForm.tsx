// The name of the image that a device's content is kept as, and what follows for the device.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Device, Holding } from "../../api/client";
import { nameOf } from "../../shared/device";
import { problemOfImageName } from "../../shared/imageName";

interface Props {
  device: Device;
  holding: Holding;
  onClose: () => void;
  onKeep: (image_name: string | null) => void;
}

export function KeepForm({ device, holding: { image }, onClose, onKeep }: Props) {
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const problem = problemOfImageName(name);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (problem === null) onKeep(name === "" ? null : name);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name of the image"
          description="Empty: by its parent. A number is added if another image has the name."
          placeholder={`${image.name}-after-1`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <p>The image is a child of {image.name}. Only the chunks that changed are stored.</p>
        <p>
          Afterwards {nameOf(device)} holds the new image, and Roll back returns to that one. To return to{" "}
          {image.name}, restore it.
        </p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={problem !== null}>
            Keep the image
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
