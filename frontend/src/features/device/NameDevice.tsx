// Gives a device a name. Its path and its stable id stay what identifies it.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Device } from "../../api/client";
import { later } from "../../shared/later";
import { LaterDialog } from "../../shared/ui/LaterDialog";
import { nameOf } from "../../shared/device";

const NameForm = later(async () => (await import("./NameForm")).NameForm);

export function NameDevice({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  const name = nameOf(device);
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => setOpen(true)}
        aria-label={`${device.name === null ? "Name…" : "Rename…"} ${name}`}
      >
        {device.name === null ? "Name…" : "Rename…"}
      </Button>
      <LaterDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Name ${name}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <NameForm device={device} onClose={() => setOpen(false)} />
      </LaterDialog>
    </>
  );
}
