"""Tries the options that a user added on a scratch file, before the content of the device is destroyed."""

import os
from pathlib import Path

from patina_worker.failure import MkfsFailed, MountFailed
from patina_worker.handlers.aging.age_job import AgeJob
from patina_worker.host import file_system, loop_device, scratch


def try_options(job: AgeJob, *, folder: Path) -> None:
    """Makes and mounts the file system on a sparse file of the device's size. Raises MkfsFailed, MountFailed,
    OptionsRefused. Does nothing for a run without added options."""
    chosen = job.settings
    if not chosen.added_mkfs_options and not chosen.added_mount_options:
        return
    kind, options = chosen.file_system, job.mount_options
    try:
        with scratch.file() as descriptor:
            os.ftruncate(descriptor, job.target.size_bytes)
            with loop_device.attached(descriptor, f"run-{job.run_id}", is_read_only=False) as (path, _):
                file_system.make(
                    kind,
                    path,
                    size_bytes=job.target.size_bytes,
                    fs_uuid=file_system.new_uuid(kind, job.seed),
                    lock=descriptor,
                    added=chosen.added_mkfs_options,
                )
                with file_system.mounted(kind, path, folder, options=options):
                    pass
    except (MkfsFailed, MountFailed) as error:
        added = ", ".join(filter(None, (chosen.added_mkfs_options, chosen.added_mount_options)))
        raise type(error)(
            f"{kind} cannot be made and mounted with the added options {added} in mode {chosen.mode}: {error.message} "
            f"The content of {job.target.path} is as it was. Start a run with other options.",
            log=error.log,
        ) from error
