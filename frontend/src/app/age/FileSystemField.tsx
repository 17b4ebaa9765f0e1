// As what file system a device is aged.
import { Select } from "@mantine/core";
import type { FileSystem } from "../../api/client";

/** The type is the server's: one that is new there is missed here. */
const names: Record<FileSystem, string> = { ext4: "ext4" };

export const usualFileSystem: FileSystem = "ext4";

function isFileSystem(value: string | null): value is FileSystem {
  return value !== null && value in names;
}

interface Props {
  of: string;
  value: FileSystem;
  onChange: (value: FileSystem) => void;
}

export function FileSystemField({ of, value, onChange }: Props) {
  return (
    <Select
      label="File system"
      aria-label={`File system on ${of}`}
      data={Object.entries(names).map(([key, label]) => ({ value: key, label }))}
      value={value}
      onChange={(chosen) => isFileSystem(chosen) && onChange(chosen)}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
