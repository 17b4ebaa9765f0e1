// Gives a device its image back, after asking: what was written since is gone then.
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
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

/** Others may have put something there, which nothing but this dialog asks about. */
function mustBeTyped(device: Device, { doubt }: Holding): boolean {
  return device.holds !== null && (doubt === "differs" || doubt === "changed");
}

interface Props {
  device: Device;
  holding: Holding;
  /** What it does and what it does not. */
  title: string;
  isPending: boolean;
  onRollBack: (typed: string | null) => void;
}

export function RollBack({ device, holding, title, isPending, onRollBack }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const isTyped = mustBeTyped(device, holding);
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
          {isTyped && (
            <TextInput
              label={`Type ${name} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)}>
              Keep what is there
            </Button>
            <Button
              color="copper"
              data-autofocus={isTyped ? undefined : true}
              disabled={isTyped && typed !== name}
              onClick={() => {
                setAsking(false);
                setTyped("");
                onRollBack(isTyped ? typed : null);
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
