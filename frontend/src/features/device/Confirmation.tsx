// The consequence for the device, by name, and the word to type where it holds data.
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { Device } from "../../api/client";
import classes from "./Confirmation.module.css";
import { kindOf } from "./words";
import { nameOf } from "../../shared/device";

function wordOf(device: Device): string {
  return device.path ?? device.serial ?? "";
}

/** Reports whether a word must be typed: a busy device will hold data when this run's turn comes. */
function mustBeTyped(device: Device): boolean {
  return device.holds !== null || device.state === "busy";
}

/** Reports whether the device is confirmed; an empty device needs no typed word. */
export function isConfirmed(device: Device, typed: string): boolean {
  return (
    !mustBeTyped(device) || typed === wordOf(device) || (device.serial !== null && typed === device.serial)
  );
}

function heldBy(device: Device) {
  if (device.state === "busy")
    return <>It is busy: the content that {device.active_lease?.holder} leaves is destroyed too.</>;
  if (device.holds === null) return <>It is blank.</>;
  return (
    <>
      It holds <strong>{device.holds}</strong>.
    </>
  );
}

/** One sentence for devices that need no typed word. */
export function BlankDevices({ devices }: { devices: readonly Device[] }) {
  return (
    <div className={classes.consequence}>
      <p>
        All data on{" "}
        {devices.map((device, index) => (
          <span key={device.id}>
            {index > 0 && (index === devices.length - 1 ? " and " : ", ")}
            <span className="mono">{nameOf(device)}</span> ({kindOf(device)})
          </span>
        ))}{" "}
        will be destroyed. {devices.length === 1 ? "It is" : "They are"} blank.
      </p>
    </div>
  );
}

interface Props {
  device: Device;
  typed: string;
  onType: (typed: string) => void;
  /** What happens to the device, where its data is not destroyed. */
  consequence?: ReactNode;
}

function Destroyed({ device }: { device: Device }) {
  return (
    <>
      All data on <span className="mono">{nameOf(device)}</span> ({kindOf(device)}
      {device.serial !== null && (
        <>
          , serial <span className="mono">{device.serial}</span>
        </>
      )}
      ) will be destroyed. {heldBy(device)}
    </>
  );
}

export function Confirmation({ device, typed, onType, consequence }: Props) {
  return (
    <div className={classes.consequence}>
      <p>{consequence ?? <Destroyed device={device} />}</p>
      {mustBeTyped(device) && (
        <TextInput
          label={`Type ${wordOf(device)} to confirm`}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          maw={360}
          mt="xs"
        />
      )}
    </div>
  );
}
