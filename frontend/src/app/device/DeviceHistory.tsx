// What happened to a device, in a dialog.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Device } from "../../api/client";
import { nameOf } from "../../shared/device";
import { later } from "../../shared/later";
import { LaterDialog } from "../../shared/ui/LaterDialog";

const DeviceJobs = later(async () => (await import("./DeviceJobs")).DeviceJobs);

export function DeviceHistory({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => setOpen(true)}
        aria-label={`History of ${nameOf(device)}`}
      >
        History
      </Button>
      <LaterDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="lg"
        title={`History of ${nameOf(device)}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <DeviceJobs device={device} />
      </LaterDialog>
    </>
  );
}
