// Gives a device its image back, after asking: what was written since is gone then.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { Device, Holding } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes } from "../../shared/units";

function Rewritten({ holding: { delta, doubt } }: { holding: Holding }) {
  if (delta !== null && delta.incomplete_reason === null && (doubt === null || doubt === "unknown"))
    return (
      <>
        The trace saw <Exact value={formatBytes(bytes(delta.touched_bytes))} />: so much is rewritten.
      </>
    );
  const why =
    delta?.incomplete_reason != null
      ? `The trace did not see everything (${delta.incomplete_reason})`
      : "No trace saw everything that was written";
  return <>{why}, so every byte is compared and what differs is rewritten.</>;
}

interface Props {
  device: Device;
  holding: Holding;
  /** What it does and what it does not. */
  title: string;
  isPending: boolean;
  onRollBack: () => void;
}

export function RollBack({ device, holding, title, isPending, onRollBack }: Props) {
  const [isAsking, setAsking] = useState(false);
  const isFree = device.state === "available";
  const name = device.path ?? device.stable_id;
  return (
    <>
      <Button
        variant="default"
        title={title}
        disabled={!isFree}
        loading={isPending}
        onClick={() => setAsking(true)}
        aria-label={`Roll back: ${name}`}
      >
        Roll back
      </Button>
      <Modal
        opened={isAsking && isFree}
        onClose={() => setAsking(false)}
        title={`Roll ${name} back?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            Everything that was written to <span className="mono">{name}</span> (
            {device.model ?? "unknown model"}
            {device.serial !== null && `, serial ${device.serial}`}) since it held image {holding.image.name}{" "}
            is destroyed. <Rewritten holding={holding} />
          </p>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)}>
              Keep what is there
            </Button>
            <Button
              color="copper"
              data-autofocus
              onClick={() => {
                setAsking(false);
                onRollBack();
              }}
            >
              Roll {name} back
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
