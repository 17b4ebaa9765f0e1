// Makes a fault of an emulated disk, and ends its faults.
import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import type { Device } from "../../../api/client";
import { nameOf } from "../../../shared/device";
import { later } from "../../../shared/later";
import { LaterDialog } from "../../../shared/ui/LaterDialog";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useInjectFault } from "../queries";
import card from "../DeviceCard.module.css";
import { canEnd, whyNoFault, whyWait } from "./faults";

const FaultForm = later(async () => (await import("./FaultForm")).FaultForm);

export function FaultActions({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  const makeButton = useRef<HTMLButtonElement>(null);
  const end = useInjectFault(device.id);
  const name = nameOf(device);
  const why = whyNoFault(device);
  const hasFaults = device.emulated?.faults.some(canEnd) ?? false;
  const common = {
    variant: "subtle",
    size: "compact-sm",
    disabled: why !== null,
    title: why ?? undefined,
  } as const;
  return (
    <div className={card.more}>
      <Button
        {...common}
        ref={makeButton}
        onClick={() => setOpen(true)}
        aria-label={`Make a fault… on ${name}`}
      >
        Make a fault…
      </Button>
      {hasFaults && (
        <Button
          {...common}
          loading={end.isPending}
          disabled={(why ?? whyWait(device)) !== null}
          // This button goes with the faults: the focus goes to the one that stays.
          onClick={() => end.mutate({ kind: "none" }, { onSuccess: () => makeButton.current?.focus() })}
          aria-label={`End all faults of ${name}`}
        >
          End all faults
        </Button>
      )}
      {end.isError && <RefusalNotice error={end.error} />}
      <LaterDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Make a fault on ${name}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <FaultForm device={device} onClose={() => setOpen(false)} />
      </LaterDialog>
    </div>
  );
}
