"""Records of `patina-core shingle capacity` and `shingle cleaning`: simulations of shingled disks, without a disk."""

from typing import Literal, get_args

from patina.core.record import Command, CoreError, Count, EventModel, Fraction, Hello

# Caveat-Scriptor: where files are placed. The first five are those of the thesis (Singh, 2014).
Placement = Literal["best", "first", "next", "last-position", "worst", "best-split", "best-late", "best-aware"]
PLACEMENTS: tuple[Placement, ...] = get_args(Placement)
# Strict append: which band is cleaned.
Cleaner = Literal["greedy", "cost-benefit", "oldest"]
CLEANERS: tuple[Cleaner, ...] = get_args(Cleaner)
ShingledInterface = Literal["caveat", "strict-append"]


class CapacitySummary(EventModel):
    """The smallest disk on which every file found a place. Blocks have 4 KiB."""

    type: Literal["summary"]
    command: Literal["shingle capacity"]
    policy: Placement
    did_blocks: Count
    dnor_blocks: Count
    seed: Count
    total_blocks: Count
    free_blocks: Count
    unusable_blocks: Count
    usable_blocks: Count
    allocated_blocks: Count
    split_files_count: Count
    attempts_count: Count


class CleaningSummary(EventModel):
    """What was written to a disk of either interface, and moved to give space back. Blocks have 4 KiB."""

    type: Literal["summary"]
    command: Literal["shingle cleaning"]
    interface: ShingledInterface
    policy: Placement | Cleaner
    did_blocks: Count
    dnor_blocks: Count
    fullness: Fraction
    seed: Count
    total_blocks: Count
    written_blocks: Count
    moved_blocks: Count
    cleanings_count: Count
    live_blocks: Count
    is_full: bool


CapacityRecord = Hello | CapacitySummary | CoreError
CleaningRecord = Hello | CleaningSummary | CoreError

CAPACITY = Command[CapacityRecord, CapacitySummary]("shingle capacity", CapacityRecord, CapacitySummary)
CLEANING = Command[CleaningRecord, CleaningSummary]("shingle cleaning", CleaningRecord, CleaningSummary)
