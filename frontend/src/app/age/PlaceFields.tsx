// Fields for the place of the aging: the file system, and whether it runs in the host's memory first.
import { Switch } from "@mantine/core";
import type { Device, FileSystem } from "../../api/client";
import { nameOf } from "../../shared/device";
import { FileSystemField } from "./FileSystemField";
import { noOptions, OptionFields, type Options } from "./OptionFields";

export interface Place extends Options {
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

interface MemoryProps {
  host_name: string;
  /** What is written to in the end. */
  written: string;
  value: boolean;
  onChange: (in_memory: boolean) => void;
}

export function MemoryField({ host_name, written, value, onChange }: MemoryProps) {
  return (
    <Switch
      label="Age in memory first"
      description={`Ages in the memory of ${host_name}, then writes the image to ${written} and reads it back: faster, and the device is written once`}
      styles={{ description: { fontSize: 13 } }}
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

export function PlaceFields({ device, place, onChange }: Props) {
  return (
    <>
      <FileSystemField
        device={device}
        value={place.file_system}
        // Options are those of one file system.
        onChange={(file_system) => onChange({ ...place, ...noOptions, file_system })}
      />
      <OptionFields options={place} onChange={(options) => onChange({ ...place, ...options })} />
      {canAgeInMemory(device) && (
        <MemoryField
          host_name={device.host.name}
          written={nameOf(device)}
          value={place.in_memory}
          onChange={(in_memory) => onChange({ ...place, in_memory })}
        />
      )}
    </>
  );
}
