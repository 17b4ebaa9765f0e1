// The choices for a shingled disk, each with a sentence on what it means.
import type { Cleaner, Interface, Placement } from "./draft";
import { interfaceLabels } from "./words";

interface Choice {
  label: string;
  description: string;
}

export const interfaces: Record<Interface, Choice> = {
  caveat: {
    label: interfaceLabels.caveat,
    description: "The file system may write anywhere. A write damages the blocks behind it.",
  },
  "strict-append": {
    label: interfaceLabels["strict-append"],
    description: "The disk has bands. Each is written in sequence only, and reset as a whole.",
  },
};

export const policies: Record<Placement, Choice> = {
  best: { label: "Best fit", description: "The smallest free extent that has room for the file." },
  first: { label: "First fit", description: "The first free extent that has room for the file." },
  next: { label: "Next fit", description: "The first one with room behind the file placed last." },
  "last-position": {
    label: "Last-position fit",
    description: "The one with room that is nearest to the last access.",
  },
  worst: { label: "Worst fit", description: "The largest free extent." },
  "best-split": {
    label: "Best-split",
    description: "As best fit; a file is divided over several extents if none has room.",
  },
  "best-late": {
    label: "Best-late",
    description: "As best fit; freed extents are coalesced only when none has room.",
  },
  "best-aware": {
    label: "Best-aware",
    description: "As best fit; an extent too short for the DID is used if no live block is damaged.",
  },
};

export const cleaners: Record<Cleaner, Choice> = {
  greedy: { label: "Greedy", description: "The band with the fewest live blocks is cleaned." },
  "cost-benefit": {
    label: "Cost-benefit",
    description: "The live part of a band is weighed against its age.",
  },
  oldest: { label: "Oldest", description: "The band whose last block was placed first." },
};
