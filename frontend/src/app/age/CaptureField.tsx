// A field for the mode of the image: the part of the aged device that it keeps.
import type { Device, RunCreate } from "../../api/client";
import { dropsData } from "../../shared/device";
import { ChoiceField } from "../../shared/ui/ChoiceField";

export type CaptureMode = NonNullable<RunCreate["capture_mode"]>;

/** What a batch of devices may ask: one mode for all, or the usual one of each device. */
export type BatchCapture = CaptureMode | "usual";

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

const modesOfBatch: Record<BatchCapture, { label: string; description: string }> = {
  usual: {
    label: "By device",
    description: "No contents of emulated disks, whose data is generated; the blocks in use of the others",
  },
  ...modes,
};

/** Returns the mode where none is chosen: the data of an emulated disk is generated, and would only take space. */
export function usualCapture(device: Device): CaptureMode {
  return dropsData(device) ? "metadata" : "allocated";
}

/** The same of several devices: "usual" where they differ. */
export function usualCaptureOf(devices: readonly Device[]): BatchCapture {
  const [first, ...others] = new Set(devices.map(usualCapture));
  return first === undefined || others.length > 0 ? "usual" : first;
}

interface Props<Mode extends BatchCapture> {
  mode: Mode;
  onChange: (mode: Mode) => void;
  /** The reason why the file system has no image in a mode; null where it has one. */
  whyRefused: (mode: Mode) => string | null;
}

function fieldWith<All extends BatchCapture>(choices: Record<All, { label: string; description: string }>) {
  return ({ mode, onChange, whyRefused }: Props<All>) => (
    <ChoiceField
      label="The image keeps"
      choices={choices}
      value={mode}
      onChange={onChange}
      isRefused={(other) => whyRefused(other) !== null}
      error={whyRefused(mode)}
    />
  );
}

export const CaptureField = fieldWith(modes);
export const BatchCaptureField = fieldWith(modesOfBatch);
