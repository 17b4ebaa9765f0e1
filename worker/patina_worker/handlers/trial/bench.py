"""What the workloads of trials share: the mounted device, its traffic, and what is measured."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patina.core.contract.measured import MeasuredOperation
from patina.trial.measurement import DeviceTraffic, Point
from patina_worker.handlers.trial.device_traffic import read_traffic
from patina_worker.handlers.trial.programs import ProgramFailed, Ran, run_measured
from patina_worker.host import file_system
from patina_worker.tools.run import run_tool

FOLDER = "patina-workload"
SYNC_TIMEOUT_S = 3600
SAY_EVERY_S = 0.5


def seldom(say: Callable[[str], None]) -> Callable[[str], None]:
    """Returns `say`, which passes over what comes less than `SAY_EVERY_S` after the text before."""
    said_at = -SAY_EVERY_S

    def _say(text: str) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= SAY_EVERY_S:
            said_at = time.monotonic()
            say(text)

    return _say


def sum_if_known(values: Sequence[int | None]) -> int | None:
    """Returns the sum; None if a value is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


@dataclass
class Measured:
    """What a workload measured."""

    value: float
    elapsed_s: float
    device: DeviceTraffic
    allocated: DeviceTraffic | None = None
    written_bytes: int | None = None
    space_amplification: float | None = None
    read_bytes: int | None = None
    operations: list[MeasuredOperation] = field(default_factory=list)
    samples: list[tuple[float, int]] = field(default_factory=list)
    steady_from_s: float | None = None
    figures: dict[str, float] = field(default_factory=dict)
    output: dict[str, object] | None = None
    points: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Bench:
    """What a workload needs: a device with a file system that it mounts, and may change."""

    path: str
    file_system: str
    mount_options: str
    folder: Path
    scratch: Path  # of this trial, for files that are not measured; it need not exist
    seed: int
    lock: int
    part: int | None  # parts.py
    check: Callable[[], bool]
    on_record: Callable[[object], None]
    say: Callable[[str], None]  # shows the progress
    clock_s: Callable[[], float | None]  # of an emulated disk with a disk model

    @contextmanager
    def mounted(self) -> Iterator[Path]:
        """Mounts the device with empty caches."""
        with file_system.mounted(self.file_system, self.path, self.folder, options=self.mount_options) as folder:
            yield folder

    def sync(self, folder: Path | None = None) -> None:
        """Writes back everything, so that the device's stat file counts it. `folder`: of another file system."""
        done = run_tool(["sync", "--file-system", str(folder or self.folder)], timeout_s=SYNC_TIMEOUT_S)
        if done.returncode != 0:
            raise ProgramFailed("The file system could not be synced after the workload.", log=done.output)

    def traffic(self) -> DeviceTraffic:
        """Returns the traffic of the device so far, after a sync."""
        self.sync()
        return read_traffic(self.path, clock_s=self.clock_s())

    def used_bytes(self) -> int:
        """Returns what is used of the mounted file system, its metadata included, after a sync."""
        self.sync()
        state = os.statvfs(self.folder)
        return (state.f_blocks - state.f_bfree) * state.f_frsize

    def space_amplification(self, used_before: int) -> float | None:
        """Returns what the workload's files take of the mounted file system, over their sizes; None without a byte."""
        taken = self.used_bytes() - used_before
        sizes = sum(
            os.lstat(os.path.join(folder, name)).st_size
            for folder, _, names in os.walk(self.folder / FOLDER)
            for name in names
        )
        return taken / sizes if sizes and taken > 0 else None

    def run(self, argv: list[str], package: str, *, cwd: Path | None = None, **options: Any) -> Ran:
        """Runs a program that is measured."""
        return run_measured(
            argv, check=self.check, inherit=(self.lock,), cwd=cwd or self.folder, package=package, **options
        )
