"""What `patina-core scan` reports: figures and histograms, never a name."""

from typing import Literal

from pydantic import Field

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello
from patina.profile.histogram import Histograms


class ScanProgress(EventModel):
    """How far the walk has come."""

    type: Literal["progress"]
    command: Literal["scan"]
    files_count: Count
    directories_count: Count
    bytes: Bytes
    unreadable_directories_count: Count
    unreadable_files_count: Count
    elapsed_s: float


class ScanSummary(EventModel):
    """The last record: what was found, and the profile of it."""

    type: Literal["scan"]
    complete: bool = Field(description="Nothing was unreadable, left out or gone meanwhile")
    threads_count: Count
    elapsed_s: float
    files_count: Count
    directories_count: Count
    bytes: Bytes
    symlinks_count: Count
    special_files_count: Count
    hard_links_count: Count = Field(description="Further names of files that were counted already")
    untracked_links_count: Count
    mount_points_count: Count = Field(description="Other file systems in the tree; left out")
    unreadable_directories_count: Count
    unreadable_files_count: Count
    unentered_directories_count: Count
    vanished_count: Count = Field(description="Gone between being listed and being looked at")
    time_source: Literal["creation", "modification", "mixed"]
    creation_time_files_count: Count
    modification_time_files_count: Count
    future_files_count: Count
    oldest_age_s: float
    deeper_files_count: Count = Field(description="Below the deepest directory a profile can say; counted there")
    deeper_directories_count: Count
    oversized_files_count: Count
    subdirs_scale_fraction: float = Field(description="Below 1: the directories were too many for a profile")
    profile: Histograms


ScanRecord = Hello | ScanProgress | ScanSummary | CoreError

SCAN = Command[ScanRecord, ScanSummary]("scan", ScanRecord, ScanSummary)
