// On what to age: the file system, and whether its host's memory stands for the device meanwhile.
import { Select, Switch } from "@mantine/core";
import type { Device } from "../../api/client";
import { nameOf } from "../../features/device/words";
import { bytes, formatBytes } from "../../shared/units";

export type FileSystem = Device["file_systems"][number]["name"];

export interface Place {
  file_system: FileSystem;
  in_memory: boolean;
}

interface Props {
  device: Device;
  place: Place;
  onChange: (place: Place) => void;
}

function FileSystemField({ device, place, onChange }: Props) {
  const options = device.file_systems.map(({ name, least_device_bytes }) => {
    const isTooSmall = device.size_bytes < least_device_bytes;
    const why = isTooSmall ? `, from ${formatBytes(bytes(least_device_bytes)).text}` : "";
    return { value: name, label: `${name}${why}`, disabled: isTooSmall };
  });
  const choose = (value: string | null) => {
    const chosen = device.file_systems.find(({ name }) => name === value);
    if (chosen !== undefined) onChange({ ...place, file_system: chosen.name });
  };
  return (
    <Select
      label="File system"
      data={options}
      value={place.file_system}
      onChange={choose}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

/** Not for a device that is in memory itself. */
export function canAgeInMemory(device: Device): boolean {
  return device.fits_in_memory && device.medium !== "memory";
}

export function PlaceFields({ device, place, onChange }: Props) {
  return (
    <>
      <FileSystemField device={device} place={place} onChange={onChange} />
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
