// Fields for the place of the aging: the file system, and whether it runs in the host's memory first.
import { Switch } from "@mantine/core";
import type { Device, FileSystem } from "../../api/client";
import { nameOf } from "../../features/device/words";
import { FileSystemField } from "./FileSystemField";

export interface Place {
  file_system: FileSystem;
  in_memory: boolean;
}

interface Props {
  device: Device;
  place: Place;
  onChange: (place: Place) => void;
}

/** Reports whether aging in memory applies: not to a device that is in memory itself. */
export function canAgeInMemory(device: Device): boolean {
  return device.fits_in_memory && device.medium !== "memory";
}

export function PlaceFields({ device, place, onChange }: Props) {
  return (
    <>
      <FileSystemField
        device={device}
        value={place.file_system}
        onChange={(file_system) => onChange({ ...place, file_system })}
      />
      {canAgeInMemory(device) && (
        <Switch
          label="Age in memory first"
          description={`Ages in the memory of ${device.host.name}, then writes the image to ${nameOf(device)} and reads it back: faster, and the device is written once`}
          styles={{ description: { fontSize: 13 } }}
          checked={place.in_memory}
          onChange={(event) => onChange({ ...place, in_memory: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
