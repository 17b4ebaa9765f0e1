"""Explains failures on a sandbox device: a full disk below the device appears as an input/output error."""

import os

from patina.core.failure import StepFailed
from patina.errors import PatinaError
from patina.settings import settings
from patina_worker.failure import SandboxDiskFull
from patina_worker.host.write_check import Target

FULL_BELOW_BYTES = 2**20


def why(error: PatinaError, *, target: Target) -> PatinaError:
    """Returns SandboxDiskFull where the disk is full, else the error."""
    folder = settings().memory_dir if target.medium == "memory" else settings().sandbox_dir
    if target.kind != "sandbox" or not folder.exists():
        return error
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize >= FULL_BELOW_BYTES:
        return error
    return SandboxDiskFull(
        f"The disk that holds the sandbox devices ({folder}) is full, so {target.path} could not grow. "
        f"Make space there, then start again. {error.message}",
        log=error.log if isinstance(error, StepFailed) else "",
    )
