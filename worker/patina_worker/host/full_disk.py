"""Explains failures on a sandbox device: what is wrong below the device appears as an input/output error."""

import os
import time

from patina.core.contract.emulate import EmulatorStatus
from patina.core.failure import StepFailed
from patina.errors import PatinaError
from patina.figures import in_bytes
from patina.settings import settings
from patina_worker.failure import DiskFault, EmulatedDiskFull, EmulatorBusy, EmulatorEnded, SandboxDiskFull
from patina_worker.host import emulator, sandbox
from patina_worker.host.write_check import Target

FULL_BELOW_BYTES = 2**20
_NO_SPACE = "store_no_space"  # a code of the core
_POWER_CUT = "power cut"


def why(error: PatinaError, *, target: Target, began: float) -> PatinaError:
    """Returns SandboxDiskFull where the disk below is full; for an emulated disk EmulatorEnded, EmulatedDiskFull or
    DiskFault where that is the reason; else the error. `began`: of the work that failed, as of time.monotonic()."""
    if target.kind != "sandbox":
        return error
    found = _why_full(error, target)
    if found is None and target.is_emulated and isinstance(error, StepFailed):
        found = _why_emulated(error, target, began)
    return found or error


def _why_full(error: PatinaError, target: Target) -> PatinaError | None:
    folder = settings().memory_dir if target.medium == "memory" else settings().sandbox_dir
    if not folder.exists():
        return None
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize >= FULL_BELOW_BYTES:
        return None
    return SandboxDiskFull(
        f"The disk that holds the sandbox devices ({folder}) is full, so {target.path} could not grow. "
        f"Make space there, then start again. {error.message}",
        log=error.log if isinstance(error, StepFailed) else "",
    )


def _why_emulated(error: StepFailed, target: Target, began: float) -> PatinaError | None:
    log = error.log
    try:
        folder = sandbox.backing_file(stable_id=target.stable_id, medium=target.medium)
        status = emulator.status(folder, patience_s=emulator.LONG_PATIENCE_S)
    except EmulatorBusy:
        return None
    except StepFailed:
        return EmulatorEnded(
            f"The emulator of {target.path} has ended, so the device failed. It is started again within seconds; then "
            f"start the job again. {error.message}",
            log=log,
        )
    if status.faults:
        kinds = [str(fault.get("kind")).replace("_", " ") for fault in status.faults]
        advice = "The disk returns as soon as no job holds it" if _POWER_CUT in kinds else "End all faults"
        return DiskFault(
            f"A fault on command is in force on {target.path}: {', '.join(kinds)}. {advice}; then start again. "
            f"{error.message}",
            log=log,
        )
    if status.error_code == _NO_SPACE and _is_since(began, status):
        return EmulatedDiskFull(
            f"A write to {target.path} failed: {status.error}. It stores {in_bytes(status.stored_bytes)}. Or choose "
            f"less fullness. {error.message}",
            log=log,
        )
    return None


def _is_since(began: float, status: EmulatorStatus) -> bool:
    """Returns whether the last error of a disk came after this moment: an earlier one explains nothing."""
    return status.error_age_s is None or status.error_age_s <= time.monotonic() - began
