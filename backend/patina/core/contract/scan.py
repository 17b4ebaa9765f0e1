"""Records of `patina-core scan`: figures and histograms, without names."""

from typing import Literal

from pydantic import Field

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello
from patina.profile.histogram import Histograms


class ScanProgress(EventModel):
    """Progress of the walk."""

    type: Literal["progress"]
    command: Literal["scan"]
    files_count: Count
    directories_count: Count
    bytes: Bytes
    unreadable_directories_count: Count
    unreadable_files_count: Count
    elapsed_s: float


class ScanSummary(EventModel):
    """The last record: counts, and the resulting profile."""

    type: Literal["scan"]
    complete: bool = Field(description="No file or directory was unreadable, skipped or removed during the walk")
    threads_count: Count
    elapsed_s: float
    files_count: Count
    directories_count: Count
    bytes: Bytes
    symlinks_count: Count
    special_files_count: Count
    hard_links_count: Count = Field(description="Further names of files already counted")
    untracked_links_count: Count
    mount_points_count: Count = Field(description="Other file systems in the tree; skipped")
    unreadable_directories_count: Count
    unreadable_files_count: Count
    unentered_directories_count: Count
    vanished_count: Count = Field(description="Removed between listing and stat")
    time_source: Literal["creation", "modification", "mixed"]
    creation_time_files_count: Count
    modification_time_files_count: Count
    future_files_count: Count
    oldest_age_s: float
    deeper_files_count: Count = Field(description="Below the deepest level of a profile; counted at that level")
    deeper_directories_count: Count
    oversized_files_count: Count
    subdirs_scale_fraction: float = Field(description="Below 1 if the tree has more directories than a profile may")
    profile: Histograms


ScanRecord = Hello | ScanProgress | ScanSummary | CoreError

SCAN = Command[ScanRecord, ScanSummary]("scan", ScanRecord, ScanSummary)
