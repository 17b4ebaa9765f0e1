// Keeps the content of a device as an image, after a dialog that asks for its name.
import { Button } from "@mantine/core";
import { useState } from "react";
import { nameOf } from "../../shared/device";
import { later } from "../../shared/later";
import { LaterDialog } from "../../shared/ui/LaterDialog";
import type { AskedAction } from "./words";

const KeepForm = later(async () => (await import("./KeepForm")).KeepForm);

interface Props extends AskedAction {
  /** `image_name` is null for a name by the parent. */
  onKeep: (image_name: string | null) => void;
}

export function KeepImage({ device, holding, title, isPending, isNext, onKeep }: Props) {
  const [isAsking, setAsking] = useState(false);
  const isFree = device.state === "available";
  const close = () => setAsking(false);
  return (
    <>
      <Button
        variant={isNext && isFree ? "filled" : "default"}
        title={title}
        disabled={!isFree}
        loading={isPending}
        onClick={() => setAsking(true)}
        aria-label={`Keep as an image: ${nameOf(device)}`}
      >
        Keep as an image
      </Button>
      <LaterDialog
        opened={isAsking && isFree}
        onClose={close}
        title={`Keep the content of ${nameOf(device)} as an image`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <KeepForm
          device={device}
          holding={holding}
          onClose={close}
          onKeep={(image_name) => {
            close();
            onKeep(image_name);
          }}
        />
      </LaterDialog>
    </>
  );
}
