"""The settings of a study: the cells of which simulation of shingled disks, and how often each is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.core.contract.shingle import Cleaner, Placement, ShingledInterface

BLOCK_BYTES = 4096
MIB, GIB = 2**20, 2**30
MOST_RESULTS_COUNT = 10_000
MOST_SEEDS_COUNT = 100
MOST_DID_BLOCKS = 2**20
MOST_OPERATIONS_COUNT = 2_000_000
LEAST_BYTES, MOST_BYTES = MIB, 16 * GIB
MOST_TIMES = 100.0
MOST_WRITTEN_BYTES = 256 * GIB

Blocks = Annotated[int, Field(ge=0, le=MOST_DID_BLOCKS)]


@dataclass(frozen=True)
class Cell:
    """One combination of the settings, simulated once with each seed."""

    interface: ShingledInterface
    policy: Placement | Cleaner
    did_blocks: int
    fullness: float | None = None

    @property
    def label(self) -> str:
        """Returns its name for users: best, DID 16, 70 % full."""
        full = "" if self.fullness is None else f", {100 * self.fullness:g} % full"
        return f"{self.policy}, DID {self.did_blocks}{full}"


class _Drawn(BaseModel):
    """What both kinds have."""

    model_config = ConfigDict(extra="forbid")

    did_blocks: Annotated[
        list[Blocks], Field(min_length=1, max_length=32, description="Blocks behind a write that it may damage: DID")
    ] = [16]
    dnor_blocks: Annotated[
        int, Field(ge=0, le=MOST_DID_BLOCKS, description="Blocks behind a write that it never damages: DNOR")
    ] = 0
    seeds_count: Annotated[int, Field(ge=1, le=MOST_SEEDS_COUNT, description="Results of each cell: seeds from 1")] = 20

    def cells(self) -> list[Cell]:
        """Returns the cells, in the order of their numbers."""
        raise NotImplementedError

    @property
    def results_count(self) -> int:
        """Returns the number of results once it is complete."""
        return len(self.cells()) * self.seeds_count

    def _check(self) -> None:
        _require_different("DID", self.did_blocks)
        if self.dnor_blocks > min(self.did_blocks):
            raise ValueError(f"DNOR, {self.dnor_blocks} blocks, is more than the least DID, {min(self.did_blocks)}")
        if self.results_count > MOST_RESULTS_COUNT:
            raise ValueError(f"{self.results_count} results, and a study has {MOST_RESULTS_COUNT} at most; split it")


class CapacitySettings(_Drawn):
    """How much larger than its files a disk must be, by the policy of placement."""

    kind: Literal["capacity"]
    policies: Annotated[list[Placement], Field(min_length=1, description="Where files are placed")]
    usable_bytes: Annotated[
        int, Field(ge=LEAST_BYTES, le=MOST_BYTES, description="Size of all files together, at most")
    ] = GIB
    operations_count: Annotated[int, Field(ge=1, le=MOST_OPERATIONS_COUNT, description="Creates and deletes")] = 100_000

    def cells(self) -> list[Cell]:
        """Returns the cells: by DID, then by policy."""
        return [Cell("caveat", policy, did) for did in self.did_blocks for policy in self.policies]

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        _require_different("policy", self.policies)
        self._check()
        return self


class CleaningSettings(_Drawn):
    """What is moved to give space back, and how much is written until a file finds no place, by fullness."""

    kind: Literal["cleaning"]
    policies: Annotated[
        list[Placement], Field(description="Caveat-Scriptor disks without a cleaner: where files are placed")
    ] = []
    cleaners: Annotated[list[Cleaner], Field(description="Strict-append disks: which band is cleaned")] = []
    fullnesses: Annotated[
        list[Annotated[float, Field(ge=0.01, le=1)]],
        Field(min_length=1, max_length=32, description="The most that all files have together, of the size"),
    ]
    size_bytes: Annotated[int, Field(ge=LEAST_BYTES, le=MOST_BYTES, description="Of the disk")] = GIB
    band_bytes: Annotated[
        int, Field(ge=BLOCK_BYTES, le=MOST_BYTES, description="Of a band of a strict-append disk")
    ] = 16 * MIB
    times: Annotated[float, Field(gt=0, le=MOST_TIMES, description="How much is written at most, of the size")] = 10

    def cells(self) -> list[Cell]:
        """Returns the cells: by DID, then by fullness, then by policy, then by cleaner."""
        ways: list[tuple[ShingledInterface, Placement | Cleaner]] = [
            *(("caveat", policy) for policy in self.policies),
            *(("strict-append", cleaner) for cleaner in self.cleaners),
        ]
        return [
            Cell(interface, policy, did, fullness)
            for did in self.did_blocks
            for fullness in self.fullnesses
            for interface, policy in ways
        ]

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if not self.policies and not self.cleaners:
            raise ValueError("name a policy or a cleaner")
        for what, values in (("policy", self.policies), ("cleaner", self.cleaners), ("fullness", self.fullnesses)):
            _require_different(what, values)
        self._check()
        if self.cleaners and self.size_bytes // BLOCK_BYTES < self._two_bands_blocks:
            raise ValueError("the disk has no place for two bands with a gap of DID between them; choose a larger size")
        if self.size_bytes * self.times > MOST_WRITTEN_BYTES:
            raise ValueError(f"size by times is more than {MOST_WRITTEN_BYTES // GIB} GiB; write less")
        return self

    @property
    def _two_bands_blocks(self) -> int:
        return 2 * (self.band_bytes // BLOCK_BYTES) + max(self.did_blocks)


StudySettings = Annotated[CapacitySettings | CleaningSettings, Field(discriminator="kind")]


def _require_different(what: str, values: Sequence[object]) -> None:
    if len(set(values)) < len(values):
        raise ValueError(f"the same {what} is named twice")
