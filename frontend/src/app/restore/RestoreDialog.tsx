// Restores an image to a device: the choice of image, and the confirmation that names the device.
import { Button, Group, Modal, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { Device, ImageItem } from "../../api/client";
import { useStartAction } from "../../features/action/queries";
import { newKey, requestOf } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { nameOf } from "../../features/device/words";
import { imagesQuery } from "../../features/image/queries";
import { ImagePicker } from "../../features/image/search/ImagePicker";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes } from "../../shared/units";

interface FormProps {
  device: Device;
  images: readonly ImageItem[];
  onClose: () => void;
}

/** Reports whether the image is in another host's store alone: the device's host cannot fetch it. */
function isElsewhere({ place }: ImageItem, device: Device): boolean {
  return place.bucket === null && place.host !== null && place.host !== device.host.name;
}

function textOf(image: ImageItem, device: Device): string {
  const place = isElsewhere(image, device) ? `, on host ${image.place.host ?? ""}` : "";
  return `${image.name}, ${formatBytes(bytes(image.size_bytes)).text}${place}`;
}

function RestoreForm({ device, images, onClose }: FormProps) {
  const start = useStartAction();
  const [idempotency_key] = useState(newKey);
  const fitting = images.find(
    (image) => image.size_bytes <= device.size_bytes && !isElsewhere(image, device),
  );
  const [image, setImage] = useState(fitting ?? null);
  const [typed, setTyped] = useState("");
  const isReady = image !== null && isConfirmed(device, typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const body = requestOf("restore", device, {
      image_id: image.id,
      typed: typed === "" ? null : typed,
    });
    start.mutate({ body, idempotency_key }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <ImagePicker
          label="Image"
          value={image}
          textOf={(other) => textOf(other, device)}
          isDisabled={({ size_bytes }) => size_bytes > device.size_bytes}
          onPick={setImage}
          hasFocus
        />
        <Confirmation device={device} typed={typed} onType={setTyped} />
        {start.isError && <RefusalNotice error={start.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isReady} loading={start.isPending}>
            Restore to {nameOf(device)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function NoImages() {
  return (
    <Stack gap="md" align="flex-start">
      <p>There is no image yet. Age a device first; its image is kept.</p>
      <LinkButton to="/images">Open the catalog</LinkButton>
    </Stack>
  );
}

export function RestoreDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const images = useInfiniteQuery(imagesQuery());
  return (
    <Modal
      opened
      onClose={onClose}
      size={640}
      title={`Restore an image to ${nameOf(device)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Panel query={images} skeleton={<Skeleton height={220} />}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          return all.length === 0 ? (
            <NoImages />
          ) : (
            <RestoreForm device={device} images={all} onClose={onClose} />
          );
        }}
      </Panel>
    </Modal>
  );
}
