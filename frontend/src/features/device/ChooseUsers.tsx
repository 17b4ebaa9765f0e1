// An operator chooses who may use a device.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Device } from "../../api/client";
import { later } from "../../shared/later";
import { LaterDialog } from "../../shared/ui/LaterDialog";
import { nameOf } from "../../shared/device";

const UsersForm = later(async () => (await import("./UsersForm")).UsersForm);

export function ChooseUsers({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  const name = nameOf(device);
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => setOpen(true)}
        aria-label={`Choose who uses ${name}`}
      >
        Change…
      </Button>
      <LaterDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Who may use ${name}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {isOpen && <UsersForm device={device} onClose={() => setOpen(false)} />}
      </LaterDialog>
    </>
  );
}
