// Labels and descriptions of the modes of aging and the kinds of data.
import type { RunCreate } from "../api/client";

export type AgingMode = NonNullable<RunCreate["mode"]>;
export type DataMode = NonNullable<RunCreate["data_mode"]>;
export type FullnessOf = NonNullable<RunCreate["fullness_of"]>;

interface Choice {
  label: string;
  description: string;
}

export const agingModes: Record<AgingMode, Choice> = {
  faithful: {
    label: "Faithful",
    description:
      "One writer; files are written back, and freed space becomes reusable, as early as in years of use",
  },
  fast: {
    label: "Fast",
    description: "Two writers; a larger share of the freed space is not yet reusable",
  },
  reference: {
    label: "Reference",
    description: "Every file is written; writeback and commit every ten operations. The slowest",
  },
  unbounded: {
    label: "As fast tools do",
    description:
      "Freed space becomes reusable only when the file system commits by itself. To reproduce published results",
  },
};

export const dataModes: Record<DataMode, Choice> = {
  materialize: {
    label: "Files can be read",
    description: "Every surviving file holds data on the disk, which compresses well",
  },
  fallocate: {
    label: "Allocate only",
    description: "Space without data where the mode allows it, else zeroes: reading a file reads no disk",
  },
  write: {
    label: "Write everything",
    description: "Bytes that do not compress. The image is as large as the files",
  },
  sparse: { label: "Length only", description: "Files take no space: only metadata ages" },
};

export const fullnessKinds: Record<FullnessOf, Choice> = {
  files: {
    label: "The files' data",
    description: "As in the literature. The file system reports more because it also counts metadata",
  },
  statfs: {
    label: "All used space (statfs)",
    description: "What df shows at the end, metadata included. The forecast counts the files alone",
  },
};

/** The mark of an image whose files hold no data on the disk. */
export const notReadable = "files cannot be read from disk";

export function isAgingMode(value: unknown): value is AgingMode {
  return typeof value === "string" && value in agingModes;
}

export function isDataMode(value: unknown): value is DataMode {
  return typeof value === "string" && value in dataModes;
}

export function dataModeWords(data_mode: string): string {
  return isDataMode(data_mode) ? dataModes[data_mode].label : data_mode;
}
