// Rolls a device back to its image after a confirmation: later writes are lost.
import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import type { Device, Holding } from "../../api/client";
import { nameOf, pathOf } from "../../shared/device";
import { later } from "../../shared/later";
import { LaterDialog } from "../../shared/ui/LaterDialog";
import { Exact } from "../../shared/ui/Exact";
import { bytes, formatBytes } from "../../shared/units";
import type { AskedAction } from "./words";

const TypedName = later(async () => (await import("./TypedName")).TypedName);

function Rewritten({ holding: { delta, doubt } }: { holding: Holding }) {
  if (delta !== null && delta.incomplete_reason === null && (doubt === null || doubt === "unknown"))
    return (
      <>
        The trace recorded <Exact value={formatBytes(bytes(delta.touched_bytes))} />, which is rewritten.
      </>
    );
  const why =
    delta?.incomplete_reason != null
      ? `The trace is incomplete (${delta.incomplete_reason.replaceAll("_", " ")})`
      : "No complete trace exists";
  return <>{why}, so every byte is compared and differences are rewritten.</>;
}

/** Reports whether the path must be typed: the device may hold other data, which only this dialog asks about. */
function mustBeTyped(device: Device, { doubt }: Holding): boolean {
  return device.holds !== null && (doubt === "differs" || doubt === "changed");
}

interface Props extends AskedAction {
  onRollBack: (typed: string | null) => void;
}

export function RollBack({ device, holding, title, isPending, isNext, onRollBack }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const isTyped = mustBeTyped(device, holding);
  const isFree = device.state === "available";
  const name = nameOf(device);
  const path = pathOf(device);
  return (
    <>
      <Button
        variant={isNext && isFree ? "filled" : "default"}
        title={title}
        disabled={!isFree}
        loading={isPending}
        onClick={() => setAsking(true)}
        aria-label={`Roll back: ${name}`}
      >
        Roll back
      </Button>
      <LaterDialog
        opened={isAsking && isFree}
        onClose={() => setAsking(false)}
        title={`Roll ${name} back?`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="md">
          <p>
            All data written to <span className="mono">{name}</span> ({name !== path && `${path}, `}
            {device.model ?? "unknown model"}
            {device.serial !== null && `, serial ${device.serial}`}) since it held image {holding.image.name}{" "}
            is destroyed. <Rewritten holding={holding} />
          </p>
          {isTyped && <TypedName name={path} typed={typed} onType={setTyped} />}
          <Group justify="flex-end" gap="xs">
            <Button
              variant="default"
              onClick={() => setAsking(false)}
              data-autofocus={isTyped ? undefined : true}
            >
              Cancel
            </Button>
            <Button
              color="copper"
              disabled={isTyped && typed !== path}
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
      </LaterDialog>
    </>
  );
}
