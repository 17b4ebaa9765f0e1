// Ready-made trials: each ages its images first and ends in one figure. All of it can be changed before the start.
import type { Draft } from "./draft";

export interface TrialPlan {
  name: string;
  title: string;
  summary: string;
  draft: Partial<Draft>;
}

export const plans: readonly TrialPlan[] = [
  {
    name: "rank-order",
    title: "Rank order",
    summary:
      "Three file systems, unaged and aged with two profiles, under fileserver and webserver: does aging change which is the fastest?",
    draft: {
      source: "aging",
      file_systems: ["ext4", "xfs", "btrfs"],
      states: [
        { profile: "agrawal", percent: 70 },
        { profile: "meyer", percent: 70 },
      ],
      addsTwins: true,
      withoutJournal: false,
      chosen: ["fileserver", "webserver"],
      name: "Rank order",
    },
  },
  {
    name: "what-aging-did",
    title: "What aging did",
    summary:
      "Three file systems, unaged and aged to Agrawal 70 %, under fileserver, webserver, varmail and grep.",
    draft: {
      source: "aging",
      file_systems: ["ext4", "xfs", "btrfs"],
      states: [{ profile: "agrawal", percent: 70 }],
      addsTwins: true,
      withoutJournal: false,
      chosen: ["fileserver", "webserver", "varmail", "grep"],
      name: "What aging did",
    },
  },
  {
    name: "write-amplification",
    title: "Write amplification",
    summary:
      "varmail on ext2, ext4 with and without its journal, xfs and btrfs: bytes to the device over bytes written.",
    draft: {
      source: "aging",
      file_systems: ["ext2", "ext4", "xfs", "btrfs"],
      states: [{ profile: "agrawal", percent: 30 }],
      addsTwins: true,
      withoutJournal: true,
      chosen: ["varmail"],
      name: "Write amplification",
    },
  },
];
