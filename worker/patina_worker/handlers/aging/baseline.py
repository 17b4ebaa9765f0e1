"""Measures the baseline of an aged layout: the empty file system, and the same files unaged."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from patina.core.contract.age import AGE, Baseline
from patina.core.failure import StepFailed, Stopped
from patina.core.supervised import run_core
from patina.figures import in_bytes
from patina_worker.handlers.aging.age_job import AgeJob
from patina_worker.host import file_system, loop_device, scratch
from patina_worker.host.layout import measure_layout

# Upper bound of the device's share that mkfs and the files' metadata take. No file data is written.
METADATA_SHARE = 0.04


def baseline_of(
    job: AgeJob, survivors: Path, *, folder: Path, check: Callable[[], bool], say: Callable[[str], None]
) -> Baseline | None:
    """Measures on a scratch file of the device's size, mounted at `folder`. `survivors`: an operation log with the
    creates of the files that are left.

    Returns None and logs the reason where it cannot be measured: an image is complete without it. Raises Stopped.
    """
    needed, free = int(job.target.size_bytes * METADATA_SHARE), shutil.disk_usage(scratch.folder()).free
    if needed > free:
        say(
            f"Baseline not measured: it takes {in_bytes(needed)} in {scratch.folder()}, which has {in_bytes(free)} left"
        )
        return None
    try:
        with scratch.file() as descriptor:
            return _measured(job, survivors, descriptor, folder, check)
    except Stopped:
        raise
    except StepFailed as error:
        say(f"Baseline not measured: {error}")
        return None


def _measured(job: AgeJob, survivors: Path, descriptor: int, folder: Path, check: Callable[[], bool]) -> Baseline:
    os.ftruncate(descriptor, job.target.size_bytes)
    with loop_device.attached(descriptor, f"run-{job.run_id}", is_read_only=False) as (path, _):
        kind = job.settings.file_system
        fs_uuid = file_system.new_uuid(kind, job.seed)
        file_system.make(
            kind,
            path,
            size_bytes=job.target.size_bytes,
            fs_uuid=fs_uuid,
            lock=descriptor,
            added=job.settings.added_mkfs_options,
        )
        fresh = measure_layout(path, check=check)
        options = file_system.mount_options(
            kind, "unbounded", job.settings.added_mount_options, is_emulated=job.target.is_emulated
        )
        with file_system.mounted(kind, path, folder, options=options):
            argv = ["--mount", str(folder), "--workload", "replay", "--log", str(survivors)]
            argv += ["--mode", "unbounded", "--threads", "1", "--data", "fallocate"]
            run_core(AGE, argv, check=check, inherit=(descriptor,))
        unaged = measure_layout(path, check=check)
    return Baseline(fresh=fresh.free_extents, unaged_free=unaged.free_extents, unaged_files=unaged.files)
