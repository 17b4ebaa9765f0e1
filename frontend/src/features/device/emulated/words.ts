// Labels and descriptions of the choices for an emulated disk.
import type { Content, Time } from "./draft";

interface Choice {
  label: string;
  description: string;
}

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
