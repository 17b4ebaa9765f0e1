"""The workloads of a trial: their settings, and what is measured of each.

To add one, add a model and its row here, and its function to patina_worker/handlers/trial/workloads.py.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

SPEC_CHARS = 64 * 1024
MOST_POINTS = 200
PROGRAM_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$"


Variant = Literal["full", "empty", "unaged"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


class _Workload(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @property
    def label(self) -> str:
        """Returns its name for users: varmail, grep."""
        return str(getattr(self, "name", getattr(self, "kind", "")))


class PersonalityWorkload(_Workload):
    """Operations of many threads on files of their own, by `patina-core workload`."""

    kind: Literal["personality"] = "personality"
    name: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[\w .+-]+$"),
        Field(description="Of a built-in workload; with `spec`, any name for it"),
    ]
    spec: Annotated[
        str | None, Field(max_length=SPEC_CHARS, description="Text in Filebench's workload model language")
    ] = None
    seconds: Annotated[float, Field(gt=0, le=86_400, description="Measured time; of one that ends, its limit")] = 60
    warm_up_s: Annotated[float, Field(ge=0, le=3_600, description="Time before it, not measured")] = 5
    files_count: (
        Annotated[int, Field(ge=1, le=50_000_000, description="Default: scaled to the free space of the images")] | None
    ) = None
    fit_bytes: (
        Annotated[int, Field(ge=1, le=2**60, description="Of its files at most. Default: what fits on each image")]
        | None
    ) = None


class FioWorkload(_Workload):
    """A job of fio. Its JSON is kept whole."""

    kind: Literal["fio"] = "fio"
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)] = "fio"
    job: Annotated[
        str, Field(max_length=SPEC_CHARS, description="A job file; file names and programs are Patina's to choose")
    ]


class PostmarkWorkload(_Workload):
    """Katcher's own program, as a check of the personality `postmark`."""

    kind: Literal["postmark"] = "postmark"
    files_count: Annotated[int, Field(ge=1, le=1_000_000)] = 500
    transactions_count: Annotated[int, Field(ge=1, le=100_000_000)] = 5_000

    @property
    def label(self) -> str:
        return "postmark program"


class GitWorkload(_Workload):
    """Pulls the history of a repository commit by commit, syncs after each pull, and reads every file cold, as `grep`
    does, before the first and after every so many pulls (Conway et al., FAST 2017; HotStorage 2019)."""

    kind: Literal["git"] = "git"
    variant: Annotated[
        Variant,
        Field(
            description="empty: one clone; full: clones of the first commit take 75 % of the file system, and each is "
            "pulled in turn; unaged: what was pulled elsewhere is copied to the image for each measurement"
        ),
    ] = "empty"
    repository: Annotated[
        str | None,
        Field(
            max_length=4096,
            pattern=r"^/[^\x00-\x1f\x7f]*$",
            description="In a scan folder of the host. Default: a synthetic one",
        ),
    ] = None
    pulls_count: Annotated[int, Field(ge=0, le=100_000, description="One commit each")] = 300
    grep_every: Annotated[int, Field(ge=1, le=100_000, description="Pulls between two measurements")] = 100
    files_count: Annotated[
        int, Field(ge=1, le=50_000, description="Of the synthetic repository's first commit, of 12 KB each")
    ] = 2_000

    @property
    def label(self) -> str:
        of = "" if self.repository is None else f" of {PurePosixPath(self.repository).name}"
        return f"git, {self.variant}{of}"

    @property
    def measured_at(self) -> list[int]:
        """Returns the numbers of pulls after which it is measured."""
        return [*range(0, self.pulls_count, self.grep_every), self.pulls_count]

    @model_validator(mode="after")
    def _few_points(self) -> Self:
        if self.pulls_count > MOST_POINTS * self.grep_every:
            raise ValueError(f"more than {MOST_POINTS} measurements of one repetition; choose a larger grep_every")
        return self


class CommandWorkload(_Workload):
    """A program of the host's own command folder, run as root in a folder of the mounted file system."""

    kind: Literal["command"] = "command"
    name: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), Field(description="Any name for it")
    ]
    program: Annotated[str, StringConstraints(pattern=PROGRAM_PATTERN)]
    arguments: Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=100)] = Field(
        default_factory=list
    )


class GrepWorkload(_Workload):
    """Reads every file of the image once, from the disk, as `grep -r` does."""

    kind: Literal["grep"] = "grep"


class FindWorkload(_Workload):
    """Visits every name and inode of the image once."""

    kind: Literal["find"] = "find"


class DuWorkload(_Workload):
    """Sums the blocks of every file of the image."""

    kind: Literal["du"] = "du"


class RmWorkload(_Workload):
    """Removes every file of the image."""

    kind: Literal["rm"] = "rm"


Workload = Annotated[
    PersonalityWorkload
    | FioWorkload
    | PostmarkWorkload
    | GitWorkload
    | CommandWorkload
    | GrepWorkload
    | FindWorkload
    | DuWorkload
    | RmWorkload,
    Field(discriminator="kind"),
]


@dataclass(frozen=True)
class WorkloadRow:
    """Facts of a kind of workload."""

    model: type[_Workload]
    metric: str  # the figure that results compare, with its unit
    is_more_better: bool
    reads_data: bool = False  # of the image's files: needs data in them
    is_cold_read: bool = False  # and does nothing else: its reads have a layout score


ROWS: dict[str, WorkloadRow] = {
    "personality": WorkloadRow(PersonalityWorkload, "ops_per_s", is_more_better=True),
    "fio": WorkloadRow(FioWorkload, "bytes_per_s", is_more_better=True),
    "postmark": WorkloadRow(PostmarkWorkload, "transactions_per_s", is_more_better=True),
    "git": WorkloadRow(GitWorkload, "s_per_gib", is_more_better=False, reads_data=True),
    "command": WorkloadRow(CommandWorkload, "seconds", is_more_better=False),
    "grep": WorkloadRow(GrepWorkload, "s_per_gib", is_more_better=False, reads_data=True, is_cold_read=True),
    "find": WorkloadRow(FindWorkload, "seconds", is_more_better=False),
    "du": WorkloadRow(DuWorkload, "seconds", is_more_better=False),
    "rm": WorkloadRow(RmWorkload, "seconds", is_more_better=False),
}

# Of metrics, for users.
UNITS = {
    "ops_per_s": "operations/s",
    "bytes_per_s": "bytes/s",
    "transactions_per_s": "transactions/s",
    "s_per_gib": "s/GiB",
    "seconds": "s",
}

assert set(ROWS) == {get_args(model.model_fields["kind"].annotation)[0] for model in get_args(get_args(Workload)[0])}
