// Ready-made trials: each ages its images first and ends in one figure. All of it can be changed before the start.
import { usualState, type Draft } from "./draft";

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
      states: [usualState, { ...usualState, goal: "meyer" }],
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
      states: [usualState],
      addsTwins: true,
      withoutJournal: false,
      chosen: ["fileserver", "webserver", "varmail", "grep"],
      name: "What aging did",
    },
  },
  {
    name: "fullness",
    title: "Fullness",
    summary:
      "ext4 under fsfb, 95 % and 10 % full: a cold read of everything after every 50 of 500 rounds, beside the unaged twin.",
    draft: {
      source: "aging",
      file_systems: ["ext4"],
      states: [
        { ...usualState, goal: "fsfb", percent: 95 },
        { ...usualState, goal: "fsfb", percent: 10 },
      ],
      addsTwins: true,
      withoutJournal: false,
      chosen: ["grep"],
      name: "Fullness",
    },
  },
  {
    name: "git",
    title: "Git",
    summary:
      "Fresh ext4 with and without its journal, xfs and btrfs, aged by 300 pulls of a repository: one clone, clones that fill 75 %, and unaged copies.",
    draft: {
      source: "aging",
      file_systems: ["ext4", "xfs", "btrfs"],
      states: [{ ...usualState, goal: "fresh" }],
      addsTwins: false,
      withoutJournal: true,
      chosen: ["git"],
      name: "Git",
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
      states: [{ ...usualState, percent: 30 }],
      addsTwins: true,
      withoutJournal: true,
      chosen: ["varmail"],
      name: "Write amplification",
    },
  },
];
