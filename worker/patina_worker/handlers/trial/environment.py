"""The machine of a trial, and other work on it."""

import os
import re
import time
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina import __version__
from patina.job.models import Job
from patina.job.state import WORKED_ON
from patina.settings import settings
from patina.trial.measurement import Background, TrialEnvironment
from patina_worker.handlers.trial.device_traffic import queue_value
from patina_worker.host import probe
from patina_worker.host.write_check import Target
from patina_worker.tools import versions

QUIET_BUSY_FRACTION = 0.1
LOOK_S = 0.5
_CPU = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_CHOSEN = re.compile(r"\[(\S+)\]")


def environment_of(target: Target) -> TrialEnvironment:
    """Returns the machine as it is now."""
    block = probe.find_device(target.path)
    cpu = _CPU.search(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    scheduler = queue_value(target.path, "scheduler")
    chosen = _CHOSEN.search(scheduler or "")
    readahead_kib = queue_value(target.path, "read_ahead_kb")
    return TrialEnvironment(
        host=settings().host_name,
        kernel=os.uname().release,
        cpu=cpu[1] if cpu else os.uname().machine,
        cores_count=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        device_path=target.path,
        device_model=target.model,
        device_size_bytes=target.size_bytes,
        device_medium=target.medium,
        logical_sector_bytes=None if block is None else block.logical_sector_bytes,
        is_rotational=None if block is None else block.is_rotational,
        io_scheduler=chosen[1] if chosen else scheduler,
        readahead_bytes=None if readahead_kib is None else int(readahead_kib) * 1024,
        write_cache=queue_value(target.path, "write_cache"),
        patina_version=__version__,
        tools=versions.versions() | versions.versions_of_workloads(),
    )


def _cpu_times() -> tuple[int, int]:
    """Returns the busy and all ticks of the processors since boot."""
    words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    ticks = [int(word) for word in words]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def busy_fraction() -> float:
    """Returns how busy the processors are, over a moment in which the trial does nothing."""
    busy, total = _cpu_times()
    time.sleep(LOOK_S)
    busy_after, total_after = _cpu_times()
    return (busy_after - busy) / max(total_after - total, 1)


def other_jobs(session: Session, trial_id: int) -> list[str]:
    """Returns the other jobs that workers of this host work on."""
    own = session.get_one(Job, trial_id)
    others = session.scalars(
        select(Job).where(Job.host_id == own.host_id, Job.id != trial_id, Job.state.in_(WORKED_ON)).order_by(Job.id)
    )
    return [job.label for job in others]


def background_of(jobs: list[str], busy: float) -> Background:
    """Returns what else the host did."""
    return Background(jobs=jobs, busy_fraction=busy, is_quiet=not jobs and busy <= QUIET_BUSY_FRACTION)
