// As what file system a device is aged: those that its size allows.
import { Select } from "@mantine/core";
import type { Device, FileSystem } from "../../api/client";
import { bytes, formatBytes } from "../../shared/units";

export const usualFileSystem: FileSystem = "ext4";

interface Props {
  device: Device;
  value: FileSystem;
  onChange: (value: FileSystem) => void;
  /** Where there are several such fields. */
  label?: string;
}

export function FileSystemField({ device, value, onChange, label }: Props) {
  const options = device.file_systems.map(({ name, least_device_bytes }) => {
    const isTooSmall = device.size_bytes < least_device_bytes;
    const why = isTooSmall ? `, from ${formatBytes(bytes(least_device_bytes)).text}` : "";
    return { value: name, label: `${name}${why}`, disabled: isTooSmall };
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
