"""Records of commands on images beside capture and restore: verify, rollback, gc and diff."""

from typing import Literal

from pydantic import Field

from patina.core.contract.age import Progress
from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello


class VerifySummary(EventModel):
    type: Literal["summary"]
    command: Literal["verify"]
    image_bytes: Bytes
    chunks_count: Count
    distinct_chunks_count: Count | None = Field(description="null if the store was not read")
    stored_bytes: Bytes | None = Field(description="Compressed; null if the store was not read")
    generation: str | None = Field(description="Generation of the device; null without a device, empty: unknown")
    elapsed_s: float


class RollbackSummary(EventModel):
    type: Literal["summary"]
    command: Literal["rollback"]
    device_bytes: Bytes
    compared: Literal["touched", "full"]
    full_reason: str | None = Field(description="Why every block was compared")
    touched_bytes: Bytes = Field(description="Rewritten, by 4 KiB blocks")
    written_bytes: Bytes
    zeroed_bytes: Bytes
    verified_bytes: Bytes
    generation: str
    elapsed_s: float


class Collected(EventModel):
    """Chunks that a collection kept and removed."""

    kept_chunks_count: Count
    kept_bytes: Bytes
    young_chunks_count: Count = Field(description="Unreferenced, but within the grace period")
    young_bytes: Bytes
    removed_chunks_count: Count
    removed_bytes: Bytes


class CollectSummary(Collected):
    type: Literal["summary"]
    command: Literal["gc"]
    dry_run: bool
    images_count: Count
    elapsed_s: float


class BucketFigures(Collected):
    """Chunks that a collection found in the bucket."""

    bucket: str


class DistinctChunks(EventModel):
    chunks_count: Count
    bytes: Bytes
    stored_bytes: Bytes | None = Field(description="Compressed; null without a store")


class ChangeMap(EventModel):
    """Changed bytes of each cell of equal size, from the first byte of the longer image to its last."""

    cell_bytes: Bytes
    changed_bytes: list[Bytes]


class DiffSummary(EventModel):
    type: Literal["summary"]
    command: Literal["diff"]
    first_bytes: Bytes
    second_bytes: Bytes
    changed_bytes: Bytes
    changed_extents_count: Count
    shared: DistinctChunks
    only_first: DistinctChunks
    only_second: DistinctChunks
    map: ChangeMap | None
    elapsed_s: float


VerifyRecord = Hello | Progress | VerifySummary | CoreError
RollbackRecord = Hello | Progress | RollbackSummary | CoreError
CollectRecord = Hello | CollectSummary | CoreError
DiffRecord = Hello | DiffSummary | CoreError

VERIFY = Command[VerifyRecord, VerifySummary]("verify", VerifyRecord, VerifySummary)
ROLLBACK = Command[RollbackRecord, RollbackSummary]("rollback", RollbackRecord, RollbackSummary)
COLLECT = Command[CollectRecord, CollectSummary]("gc", CollectRecord, CollectSummary)
DIFF = Command[DiffRecord, DiffSummary]("diff", DiffRecord, DiffSummary)
