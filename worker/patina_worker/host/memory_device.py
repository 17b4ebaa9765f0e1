"""Devices of runs in memory: loop devices over sparse files that outlive a worker, but not their run."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from sqlalchemy import select

from patina.core.failure import CoreKilled
from patina.db import transaction
from patina.device.lease import LeaseLost
from patina.device.memory import memory_needed_bytes, require_memory
from patina.job.models import Job
from patina.job.state import ENDED, JobState
from patina.run.models import Run
from patina.settings import settings
from patina_worker.failure import LoopFailed, WorkerStopping
from patina_worker.host import loop_device, probe, sandbox
from patina_worker.host.write_check import Target

_RUN_FILE = re.compile(r"run-([0-9]{1,18})\.img")
HOST_SHARE = 8  # one byte in so many of the host's memory stays reserved
DETACH_PATIENCE_S = 15.0
DETACH_PAUSE_S = 0.1

log = structlog.get_logger()


def file_of(run_id: int) -> Path:
    """Returns the file behind the run's device in memory."""
    return settings().memory_dir / f"run-{run_id}.img"


def free_bytes() -> int:
    """Returns the bytes free for devices in memory: the lesser of the kernel's and tmpfs's, less the host's share."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    kernel = Path("/proc/meminfo").read_text(encoding="ascii")
    available = next(int(line.split()[1]) * 1024 for line in kernel.splitlines() if line.startswith("MemAvailable:"))
    folder = settings().memory_dir.parent
    if not folder.is_dir():
        return 0
    tmpfs = os.statvfs(folder)
    return max(min(available, tmpfs.f_bavail * tmpfs.f_frsize) - pages // HOST_SHARE, 0)


@contextmanager
def device(*, run_id: int, target: Target, mode: str, data_mode: str, is_begun: bool) -> Iterator[str]:
    """Yields the path of a device in memory like the target. MemoryTooSmall, LoopFailed.

    Its file is kept only when the run may go on from it. After a kill the file stays, and `tidy` decides.
    """
    file, may_go_on = file_of(run_id), False
    if not is_begun:
        _make(file, target, mode, data_mode)
    try:
        with _attached(file, target) as path:
            yield path
    except (WorkerStopping, LeaseLost, CoreKilled):
        may_go_on = True
        raise
    finally:
        if not may_go_on:
            sandbox.remove_file(file)


def _make(file: Path, target: Target, mode: str, data_mode: str) -> None:
    """Makes an empty sparse file of the target's size."""
    sandbox.remove_file(file)
    require_memory(
        needed_bytes=memory_needed_bytes(target.size_bytes, mode=mode, data_mode=data_mode),
        free_bytes=free_bytes(),
        what=f"{target.path} in mode {mode}, data mode {data_mode}",
        host_name=settings().host_name,
    )
    with sandbox.backing(file, make=True) as descriptor:
        os.ftruncate(descriptor, target.size_bytes)


@contextmanager
def _attached(file: Path, target: Target) -> Iterator[str]:
    """Attaches with the target's sector size: a file system with smaller sectors could not be mounted there."""
    _wait_until_detached(file)
    block = probe.find_device(target.path)
    sector_bytes = block.logical_sector_bytes if block is not None else 0
    with (
        sandbox.backing(file) as descriptor,
        loop_device.attached(descriptor, file.name, is_read_only=False, sector_bytes=sector_bytes) as (path, _),
    ):
        yield path


def _wait_until_detached(file: Path) -> None:
    """Waits until the kernel has unmounted for a killed worker: a file must never have two devices."""
    deadline = time.monotonic() + DETACH_PATIENCE_S
    while path := sandbox.attached().get(file):
        if time.monotonic() > deadline:
            raise LoopFailed(f"{file} is still attached to {path}, by a process that should have ended.")
        time.sleep(DETACH_PAUSE_S)


def tidy() -> None:
    """Removes the files of runs that have ended or wait for a user to resume them: memory is scarcer than time."""
    files = sandbox.files_in(settings().memory_dir)
    numbers = {file: int(match[1]) for file in files if (match := _RUN_FILE.fullmatch(file.name))}
    if not numbers:
        return
    with transaction() as session:
        # Locked: a run that a user resumes now waits, and begins again.
        runs = session.scalars(select(Run).where(Run.id.in_(numbers.values())).with_for_update(of=Job)).all()
        kept = {run.id for run in runs if _may_go_on(run)}
        for file, run_id in numbers.items():
            if run_id not in kept:
                sandbox.remove_file(file)
                log.info("removed what a run had in memory", run_id=run_id)


def _may_go_on(run: Run) -> bool:
    return run.state not in ENDED and (run.state != JobState.INTERRUPTED or run.resumes_left_count > 0)
