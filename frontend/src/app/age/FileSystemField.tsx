// A field for the file system of a device: those that its host and its size allow.
import { Select } from "@mantine/core";
import type { Device, FileSystem } from "../../api/client";
import { whyNot } from "../../features/device/words";

export const usualFileSystem: FileSystem = "ext4";

/** Returns the file system where none is chosen: the only one that is offered for a shingled disk. */
export function usualFileSystemOn({ file_systems }: Device): FileSystem {
  const [first = null, ...others] = file_systems;
  return first !== null && others.length === 0 ? first.name : usualFileSystem;
}

interface Props {
  device: Device;
  value: FileSystem;
  onChange: (value: FileSystem) => void;
  /** The accessible name where there are several such fields. */
  label?: string;
}

export function FileSystemField({ device, value, onChange, label }: Props) {
  const options = device.file_systems.map((offer) => {
    const why = whyNot(device, offer);
    return {
      value: offer.name,
      label: why === null ? offer.name : `${offer.name}: ${why}`,
      disabled: why !== null,
    };
  });
  const choose = (wanted: string | null) => {
    const chosen = device.file_systems.find(({ name }) => name === wanted);
    if (chosen !== undefined) onChange(chosen.name);
  };
  return (
    <Select
      label="File system"
      aria-label={label}
      data={options}
      value={value}
      onChange={choose}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
