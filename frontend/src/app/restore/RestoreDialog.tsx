// Restores an image to a device: the choice of image, and the confirmation that names the device.
import { Button, Checkbox, Group, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { DeviceItem, ImageItem } from "../../api/client";
import { explain } from "../../api/refusal";
import { HoldingLine } from "../../features/action/HoldingLine";
import { restoreTimeQuery, useStartAction } from "../../features/action/queries";
import { newKey, requestOf } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { nameOf } from "../../shared/device";
import { imagesOfQuery, imagesQuery } from "../../features/image/queries";
import { ImagePicker } from "../../features/image/search/ImagePicker";
import { contentUnknown } from "../../features/image/words";
import { Dialog } from "../../shared/ui/Dialog";
import { Exact } from "../../shared/ui/Exact";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { Fields } from "../../shared/ui/waiting/shapes";
import classes from "./RestoreDialog.module.css";
import { bytes, formatBytes, formatDuration, seconds } from "../../shared/units";

interface FormProps {
  device: DeviceItem;
  /** The image that was chosen before the device; null: none. */
  preferred: ImageItem | null;
  onClose: () => void;
  onRestored: () => void;
}

/** Reports whether the image is in another host's store alone: the device's host cannot fetch it. */
function isElsewhere({ place }: ImageItem, device: DeviceItem): boolean {
  return place.bucket === null && place.host !== null && place.host !== device.host.name;
}

function textOf(image: ImageItem, device: DeviceItem): string {
  const place = isElsewhere(image, device) ? `, on host ${image.place.host ?? ""}` : "";
  return `${image.name}, ${formatBytes(bytes(image.size_bytes)).text}${place}`;
}

/** Reports whether the image fits on the device, whose host can fetch it. */
function isPossible(image: ImageItem, device: DeviceItem): boolean {
  return image.size_bytes <= device.size_bytes && !isElsewhere(image, device);
}

function WhyNot({ image, device }: { image: ImageItem; device: DeviceItem }) {
  if (isPossible(image, device)) return null;
  return (
    <p role="alert">
      {image.size_bytes > device.size_bytes
        ? `Image ${image.name} has ${formatBytes(bytes(image.size_bytes)).text}, ${nameOf(device)} ${formatBytes(bytes(device.size_bytes)).text}. Choose a larger device.`
        : `Image ${image.name} is in the store of host ${image.place.host ?? ""} alone. Choose a device of that host.`}
    </p>
  );
}

const basisOf = {
  image: "this image on this device",
  device: "other images on this device",
  host: "images on other devices of its host",
} as const;

/** The expected duration; it says where none is known. */
function RestoreTime({ device, image }: { device: DeviceItem; image: ImageItem }) {
  const time = useQuery(restoreTimeQuery(device.id, image.id));
  if (time.isPending) return <Skeleton height={21} width={220} />;
  if (time.isError) return <>Unknown: it could not be read. {explain(time.error).sentence}</>;
  const { expected_s, basis, restores_count } = time.data;
  if (expected_s === null || basis === null) return <>Unknown: no restore was measured here yet</>;
  return (
    <>
      About <Exact value={formatDuration(seconds(expected_s))} />, by {restores_count}{" "}
      {restores_count === 1 ? "restore" : "restores"} of {basisOf[basis]}
    </>
  );
}

/** What is restored, how long that takes, and the image that the device holds until then. */
function RestoreFacts({ device, image }: { device: DeviceItem; image: ImageItem | null }) {
  if (image === null && device.holding === null) return null;
  return (
    <dl className={classes.facts}>
      {image !== null && (
        <>
          <dt>Size</dt>
          <dd>
            <Exact value={formatBytes(bytes(image.size_bytes))} />, stored as{" "}
            <Exact value={formatBytes(bytes(image.stored_bytes))} />
          </dd>
          <dt>Expected time</dt>
          <dd>
            {isPossible(image, device) ? <RestoreTime device={device} image={image} /> : "It is not possible"}
          </dd>
        </>
      )}
      {device.holding !== null && (
        <>
          <dt>{nameOf(device)} holds</dt>
          <dd>
            <HoldingLine device={device} />
          </dd>
        </>
      )}
    </dl>
  );
}

function RestoreForm({ device, preferred, onClose, onRestored }: FormProps) {
  const start = useStartAction();
  const [idempotency_key] = useState(newKey);
  const [image, setImage] = useState(preferred);
  const [typed, setTyped] = useState("");
  const [accepts, setAccepts] = useState(false);
  const isAccepted = image === null || image.is_content_known || accepts;
  const isReady = image !== null && isPossible(image, device) && isAccepted && isConfirmed(device, typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const body = requestOf("restore", device, {
      image_id: image.id,
      typed: typed === "" ? null : typed,
      accepts_unknown_content: accepts,
    });
    start.mutate({ body, idempotency_key }, { onSuccess: onRestored });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <ImagePicker
          label="Image"
          value={image}
          textOf={(other) => textOf(other, device)}
          isDisabled={({ size_bytes }) => size_bytes > device.size_bytes}
          onPick={(picked) => {
            setImage(picked);
            setAccepts(false);
          }}
          hasFocus={preferred === null} // its list opens with the focus, and covers what follows
        />
        {image !== null && <WhyNot image={image} device={device} />}
        <RestoreFacts device={device} image={image} />
        {image?.is_content_known === false && (
          <Checkbox
            label={`Restore ${image.name} without knowing what it contains`}
            description={contentUnknown}
            checked={accepts}
            onChange={(event) => setAccepts(event.currentTarget.checked)}
          />
        )}
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

interface Props {
  device: DeviceItem;
  /** The number of the image that was chosen before the device. */
  image_id: number | undefined;
  onClose: () => void;
  /** The restore was accepted. */
  onRestored: () => void;
}

export function RestoreDialog({ device, image_id, onClose, onRestored }: Props) {
  const images = useInfiniteQuery(imagesQuery());
  const asked = useQuery(imagesOfQuery(image_id === undefined ? [] : [image_id]));
  return (
    <Dialog onClose={onClose} size={640} title={`Restore an image to ${nameOf(device)}`}>
      <Panel query={images} skeleton={<Fields count={3} />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <NoImages />
          ) : (
            <Panel query={asked} skeleton={<Fields count={3} />}>
              {([preferred = null]) => (
                <RestoreForm
                  device={device}
                  preferred={preferred}
                  onClose={onClose}
                  onRestored={onRestored}
                />
              )}
            </Panel>
          )
        }
      </Panel>
    </Dialog>
  );
}
