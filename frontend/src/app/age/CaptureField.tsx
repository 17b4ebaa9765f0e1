// What of the aged device its image keeps.
import { Select } from "@mantine/core";
import type { RunCreate } from "../../api/client";

export type CaptureMode = NonNullable<RunCreate["capture_mode"]>;

const modes: Record<CaptureMode, { label: string; description: string }> = {
  allocated: {
    label: "What the file system uses",
    description: "Metadata and written data; free blocks become zero. Checked before it is published",
  },
  exact: { label: "Every byte", description: "Also what is left of deleted files" },
  metadata: {
    label: "No contents",
    description: "The same files in the same places, read as zero. The smallest image",
  },
};

function isMode(value: string | null): value is CaptureMode {
  return value !== null && value in modes;
}

interface Props {
  mode: CaptureMode;
  onChange: (mode: CaptureMode) => void;
  why_no_metadata_image: string | null;
}

export function isRefused(mode: string, why_no_metadata_image: string | null): boolean {
  return mode === "metadata" && why_no_metadata_image !== null;
}

export function CaptureField({ mode, onChange, why_no_metadata_image }: Props) {
  return (
    <Select
      label="The image keeps"
      description={modes[mode].description}
      descriptionProps={{ fz: 13 }}
      inputWrapperOrder={["label", "input", "error", "description"]}
      data={Object.entries(modes).map(([value, { label }]) => ({
        value,
        label,
        disabled: isRefused(value, why_no_metadata_image),
      }))}
      error={isRefused(mode, why_no_metadata_image) && why_no_metadata_image}
      value={mode}
      onChange={(value) => isMode(value) && onChange(value)}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
