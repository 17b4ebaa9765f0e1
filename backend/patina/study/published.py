"""Values that were published: Singh, Carnegie Mellon, 2014, section 5.3. *first* and *worst* are exchanged where total,
free and unusable do not add up otherwise (docs/studies/shingled.md)."""

from dataclasses import dataclass

from patina.core.contract.shingle import Placement
from patina.study.settings import BLOCK_BYTES, GIB, CapacitySettings, Cell, CleaningSettings

USABLE_BYTES = GIB
OPERATIONS_COUNT = 100_000


@dataclass(frozen=True)
class PublishedCapacity:
    """One disk of the thesis."""

    total_blocks: int
    unusable_blocks: int

    @property
    def over_allocation_fraction(self) -> float:
        """Returns how much larger than its files the disk was."""
        return self.total_blocks / (USABLE_BYTES // BLOCK_BYTES) - 1

    @property
    def unusable_fraction(self) -> float:
        """Returns the unusable share of the disk."""
        return self.unusable_blocks / self.total_blocks


_CAPACITY: dict[tuple[Placement, int], PublishedCapacity] = {
    ("best", 16): PublishedCapacity(272_642, 8_287),
    ("first", 16): PublishedCapacity(275_354, 8_437),
    ("next", 16): PublishedCapacity(267_399, 936),
    ("last-position", 16): PublishedCapacity(267_399, 1_166),
    ("worst", 16): PublishedCapacity(275_354, 819),
    ("best", 512): PublishedCapacity(327_693, 61_120),
    ("first", 512): PublishedCapacity(327_693, 62_005),
    ("next", 512): PublishedCapacity(288_371, 8_651),
    ("last-position", 512): PublishedCapacity(288_371, 6_708),
    ("worst", 512): PublishedCapacity(340_800, 65_891),
}


def published_of(settings: CapacitySettings | CleaningSettings, cell: Cell) -> PublishedCapacity | None:
    """Returns what was published of the cell; None if its settings are not those of the thesis."""
    if not isinstance(settings, CapacitySettings):
        return None
    if (settings.usable_bytes, settings.operations_count) != (USABLE_BYTES, OPERATIONS_COUNT):
        return None
    return next((found for key, found in _CAPACITY.items() if key == (cell.policy, cell.did_blocks)), None)
