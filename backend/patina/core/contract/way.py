"""How a mode of aging is carried out: what `patina-core modes` lists, and what a run's summary and recipe keep."""

from typing import Literal, get_args

from pydantic import Field

from patina.core.record import Command, CoreError, Count, EventModel, Fraction, Hello

# faithful: to the reference's layout, by the cheapest way found. fast: fewer guarantees. reference: written and
# committed every few operations. unbounded: as fast tools do, with no bound on freed space that is not reusable yet.
AgingMode = Literal["faithful", "fast", "reference", "unbounded"]
AGING_MODES: tuple[AgingMode, ...] = get_args(AgingMode)
# files: their block-rounded data. statfs: all that the file system counts as used, with its metadata.
FullnessOf = Literal["files", "statfs"]


class Way(EventModel):
    mode: AgingMode
    writes_files: bool = Field(description="Files are written, not allocated, independently of the data mode")
    threads_count: Count = Field(description="0: as many as cores, up to 4")
    write_back_ops: Count = Field(description="Files are written back after each so many operations; 0: by itself")
    keeps_freed: bool = Field(description="What is deleted becomes free behind the next writeback, not at once")
    on_any_processor: bool = Field(description="Each writeback runs on a processor drawn at random")
    sync_ops: Count = Field(description="A commit after each so many operations; 0: no such bound")
    reuse_lag_fraction: Fraction = Field(
        description="A commit once this share of the planned free space is freed since the last; 0: no such bound"
    )


class WayOfFileSystem(EventModel):
    """A row of the table."""

    type: Literal["way"]
    file_system: str = Field(description="Empty: every other")
    mount_options: str = Field(description="Beside those of every aged file system")
    way: Way


WayRecord = Hello | WayOfFileSystem | CoreError

MODES = Command[WayRecord, WayOfFileSystem]("modes", WayRecord, WayOfFileSystem)
