// Removes a sandbox device; one that holds data only after a confirmation.
import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import type { Device } from "../../api/client";
import { LaterDialog } from "../../shared/ui/LaterDialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./DeviceCard.module.css";
import { useRemoveSandbox } from "./queries";
import { nameOf } from "../../shared/device";

export function RemoveSandbox({ device }: { device: Device }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveSandbox();
  const mounted_at = device.facts?.mounted_at ?? [];
  const isFree =
    device.active_lease === null &&
    device.state !== "creating" &&
    device.state !== "removing" &&
    mounted_at.length === 0;
  const name = nameOf(device);
  return (
    <>
      <Button
        variant="subtle"
        color="copper"
        disabled={!isFree}
        title={mounted_at.length > 0 ? `Mounted at ${mounted_at.join(", ")}: unmount it first` : undefined}
        loading={remove.isPending}
        onClick={() => (device.holds === null ? remove.mutate(device) : setAsking(true))}
        aria-label={`Remove ${name}`}
      >
        Remove
      </Button>
      {remove.isError && (
        <div className={classes.refusal}>
          <RefusalNotice error={remove.error} />
        </div>
      )}
      <LaterDialog
        opened={isAsking && isFree}
        onClose={() => setAsking(false)}
        title={`Remove ${name}?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            It holds {device.holds}, which is deleted permanently. Images captured from it stay in the
            catalog.
          </p>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it
            </Button>
            <Button
              color="copper"
              onClick={() => {
                setAsking(false);
                remove.mutate(device);
              }}
            >
              Remove {name}
            </Button>
          </Group>
        </Stack>
      </LaterDialog>
    </>
  );
}
