// The modelled disk of a new emulated one: one disk of a model or a RAID of several, and how it is laid over it.
import type { DiskModel, EmulationCreate } from "../../../api/client";

export type RaidChoice = "none" | "raid0" | "raid1" | "raid5";
type Raid = NonNullable<EmulationCreate["raid"]>;

/** Numbers as typed. Without a disk model none of it is asked for. */
export interface ModelledDraft {
  raid: RaidChoice;
  disks_count: number | null;
  stretches: boolean;
  pieces_count: number | null;
}

export type ModelledField = "disks_count" | "pieces_count";

export const usualModelled: ModelledDraft = {
  raid: "none",
  disks_count: 4,
  stretches: false,
  pieces_count: 8,
};

export const MOST_DISKS = 64;
export const MOST_PIECES = 16_384;

const levels: Record<RaidChoice, Raid["level"] | null> = { none: null, raid0: 0, raid1: 1, raid5: 5 };

export function leastDisks({ raid }: Pick<ModelledDraft, "raid">): number {
  return raid === "raid5" ? 3 : 2;
}

/** Returns what the modelled disk has: the server refuses more. */
export function capacityOf(
  { raid, disks_count }: Pick<ModelledDraft, "raid" | "disks_count">,
  { capacity_bytes, member_bytes }: Pick<DiskModel, "capacity_bytes" | "member_bytes">,
): number {
  const disks = disks_count ?? 0;
  if (raid === "raid0") return disks * member_bytes;
  return raid === "raid5" ? Math.max(disks - 1, 0) * member_bytes : capacity_bytes;
}

/** Returns what must be corrected, where a disk model is chosen. */
export function modelledProblems(draft: ModelledDraft): Partial<Record<ModelledField, string>> {
  const least = leastDisks(draft);
  const { raid, disks_count, stretches, pieces_count } = draft;
  const isFew = disks_count === null || disks_count < least || disks_count > MOST_DISKS;
  const isOdd = pieces_count === null || pieces_count < 2 || pieces_count > MOST_PIECES;
  return {
    ...(raid !== "none" && isFew && { disks_count: `From ${least} to ${MOST_DISKS} disks` }),
    ...(stretches && isOdd && { pieces_count: `From 2 to ${MOST_PIECES} pieces` }),
  };
}

/** Returns the part of the request of a draft without problems. */
export function modelledOf(draft: ModelledDraft): Pick<EmulationCreate, "raid" | "stretch_pieces_count"> {
  const level = levels[draft.raid];
  return {
    raid: level === null ? null : { level, disks_count: draft.disks_count ?? 0 },
    stretch_pieces_count: draft.stretches ? draft.pieces_count : null,
  };
}
