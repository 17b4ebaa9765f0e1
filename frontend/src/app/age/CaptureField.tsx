// A field for the mode of the image: the part of the aged device that it keeps.
import type { RunCreate } from "../../api/client";
import { ChoiceField } from "../../shared/ui/ChoiceField";

export type CaptureMode = NonNullable<RunCreate["capture_mode"]>;

const modes: Record<CaptureMode, { label: string; description: string }> = {
  allocated: {
    label: "Blocks in use",
    description: "Metadata and written data; free blocks become zero. Checked before it is published",
  },
  exact: { label: "Every byte", description: "Includes the remains of deleted files" },
  metadata: {
    label: "No contents",
    description: "The same files in the same places, read as zero. The smallest image",
  },
};

interface Props {
  mode: CaptureMode;
  onChange: (mode: CaptureMode) => void;
  /** The reason why the file system has no image in a mode; null where it has one. */
  whyRefused: (mode: CaptureMode) => string | null;
}

export function CaptureField({ mode, onChange, whyRefused }: Props) {
  return (
    <ChoiceField
      label="The image keeps"
      choices={modes}
      value={mode}
      onChange={onChange}
      isRefused={(other) => whyRefused(other) !== null}
      error={whyRefused(mode)}
    />
  );
}
