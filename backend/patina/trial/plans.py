"""Ready-made plans of trials, for the page and the command. Each ages its images first and ends in one figure."""

from dataclasses import asdict, dataclass
from typing import Any

from patina.file_system.table import FileSystem

# One seed: an image is what the next one was some rounds before.
_SEED = 1
_EXT4, _XFS, _BTRFS = FileSystem("ext4"), FileSystem("xfs"), FileSystem("btrfs")


@dataclass(frozen=True)
class State:
    """How an image is aged: to a profile, by fsfb, or not at all."""

    goal: str
    percent: int = 70
    rounds: int = 500
    every: int = 50

    def runs(self) -> list[dict[str, object]]:
        """Returns the goals of the runs that make its images; the most rounds come first: that run has the twin."""
        fullness = self.percent / 100
        if self.goal == "fresh":
            return [{"workload": "fresh"}]
        if self.goal != "fsfb":
            return [{"profile": self.goal, "fullness": fullness}]
        points = sorted({*range(0, self.rounds, self.every), self.rounds}, reverse=True)
        return [{"workload": "fsfb", "rounds_count": n, "fullness": fullness, "seed": _SEED} for n in points]


@dataclass(frozen=True)
class Plan:
    """A ready-made trial: file systems, how they are aged, and what is measured. `git` stands for its variants."""

    name: str
    title: str
    summary: str
    file_systems: tuple[FileSystem, ...]
    states: tuple[State, ...]
    chosen: tuple[str, ...]
    adds_twins: bool = True
    without_journal: bool = False

    def arms(self) -> list[dict[str, object]]:
        """Returns the arms of a request, without the twins that the server adds."""
        return [
            {"ages": {"file_system": file_system, "data_mode": "materialize", **goal}, "has_journal": has_journal}
            for file_system in self.file_systems
            for state in self.states
            for goal in state.runs()
            for has_journal in ((True, False) if self._loses_journal(file_system) else (True,))
        ]

    def _loses_journal(self, file_system: FileSystem) -> bool:
        return self.without_journal and file_system in ("ext3", "ext4")


_THREE = (_EXT4, _XFS, _BTRFS)
PLANS = (
    Plan(
        name="rank-order",
        title="Rank order",
        summary="Three file systems, unaged and aged with two profiles, under fileserver and webserver: does aging "
        "change which is the fastest?",
        file_systems=_THREE,
        states=(State("agrawal"), State("meyer")),
        chosen=("fileserver", "webserver"),
    ),
    Plan(
        name="what-aging-did",
        title="What aging did",
        summary="Three file systems, unaged and aged to Agrawal 70 %, under fileserver, webserver, varmail and grep.",
        file_systems=_THREE,
        states=(State("agrawal"),),
        chosen=("fileserver", "webserver", "varmail", "grep"),
    ),
    Plan(
        name="fullness",
        title="Fullness",
        summary="ext4 under fsfb, 95 % and 10 % full: a cold read of everything after every 50 of 500 rounds, beside "
        "the unaged twin.",
        file_systems=(_EXT4,),
        states=(State("fsfb", percent=95), State("fsfb", percent=10)),
        chosen=("grep",),
    ),
    Plan(
        name="git",
        title="Git",
        summary="Fresh ext4 with and without its journal, xfs and btrfs, aged by 300 pulls of a repository: one clone, "
        "clones that fill 75 %, and unaged copies.",
        file_systems=_THREE,
        states=(State("fresh"),),
        chosen=("git",),
        adds_twins=False,
        without_journal=True,
    ),
    Plan(
        name="write-amplification",
        title="Write amplification",
        summary="varmail on ext2, ext4 with and without its journal, xfs and btrfs: bytes to the device over bytes "
        "written.",
        file_systems=(FileSystem("ext2"), *_THREE),
        states=(State("agrawal", percent=30),),
        chosen=("varmail",),
        without_journal=True,
    ),
)


def described() -> list[dict[str, Any]]:
    """Returns the plans as the page reads them."""
    return [asdict(plan) for plan in PLANS]
