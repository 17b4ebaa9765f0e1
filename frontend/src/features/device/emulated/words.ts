// Labels and descriptions of the choices for an emulated disk.
import type { Content, Time } from "./draft";
import type { RaidChoice } from "./modelled";

interface Choice {
  label: string;
  description: string;
}

const order: ("label" | "input" | "error" | "description")[] = ["label", "input", "error", "description"];

/** Below a field, where its problem is above its description. */
export const below = { inputWrapperOrder: order, descriptionProps: { fz: 13 } };

export const contents: Record<Content, Choice> = {
  random: {
    label: "Random bytes",
    description: "Dropped data reads as bytes that do not compress, the same ones at each read.",
  },
  text: {
    label: "Text",
    description: "Dropped data reads as lines of words, the same ones at each read.",
  },
  zeroes: { label: "Zeroes", description: "Dropped data reads as zeroes." },
};

export const times: Record<Time, Choice> = {
  fast: {
    label: "Fast",
    description:
      "A virtual clock: no request waits, and the time that the modelled disk would take is predicted.",
  },
  accurate: {
    label: "Accurate",
    description: "Each request ends when the model says, so that work takes as long as on the modelled disk.",
  },
};

export const raids: Record<RaidChoice, Choice> = {
  none: { label: "One disk", description: "One disk of the model." },
  raid0: {
    label: "RAID-0",
    description: "Striped over all disks, in chunks of 512 KiB: their capacities add up.",
  },
  raid1: {
    label: "RAID-1",
    description: "Mirrored: the capacity of one disk. Reads use all disks, a write goes to each.",
  },
  raid5: {
    label: "RAID-5",
    description:
      "Striped with parity, which takes the capacity of one disk. Small writes read the old data first.",
  },
};
