"""One worker a host and state folder, in a mount namespace of its own.

Only the worker's processes see the mounts of a run, so no other process can stay in one and keep the device busy
(a process that enters a namespace of its own copies the mounts of that moment). The mounts end with the last of them.
"""

import ctypes
import fcntl
import os
import secrets
import sys
from typing import NoReturn

from patina.settings import settings
from patina_worker.host.foreign_disk import foreign_disks

CLONE_NEWNS = 0x00020000
MS_REC = 0x4000
MS_SLAVE = 1 << 19
MNT_DETACH = 2
EXIT_REFUSED = 78  # sysexits: configuration error

_locks: list[int] = []  # held while this process or one that it forked lives
_worker_pids: list[int] = []


def become_the_only_worker() -> None:
    """Locks the state folder, or ends the process with the reason.

    The file has two locks. The record lock ends with the worker's own process: another worker is refused by it. The
    other one is shared by all that the worker forked: what a killed worker has left is waited for, until the kernel
    has killed it too.
    """
    if os.geteuid() != 0:
        refuse("The worker formats and mounts devices: run it as root.")
    settings().state_dir.mkdir(parents=True, exist_ok=True)
    lock_path = settings().state_dir / "worker.lock"
    descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # POSIX allows either
        refuse(f"Another worker runs on this state folder ({lock_path} is locked).")
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    _locks.append(descriptor)
    _worker_pids.append(os.getpid())
    _enter_own_mount_namespace()


def is_orphan() -> bool:
    """Returns whether the worker that forked this process is gone."""
    return os.getppid() != _worker_pids[-1]


def _enter_own_mount_namespace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        refuse(f"No mount namespace of its own: {os.strerror(ctypes.get_errno())}.")
    # Slave: the host's unmounts propagate here; mounts made here do not show there.
    if libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_SLAVE), None) != 0:
        refuse(f"The mount namespace cannot be made private: {os.strerror(ctypes.get_errno())}.")
    # Not by umount(8): its helpers end the cleaner of the host's nilfs2, and it edits the host's table of mounts.
    for target in foreign_disks(settings().state_dir, settings().spool_dir):
        libc.umount2(os.fsencode(target), MNT_DETACH)


def worker_key() -> str:
    """Returns the key that distinguishes this state folder from another under the same name; made once, kept in it."""
    path = settings().state_dir / "worker.key"
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        key = secrets.token_hex(16)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(key)
        temporary.replace(path)
        return key


def refuse(why: str) -> NoReturn:
    """Ends this process with the reason in one sentence."""
    sys.stderr.write(f"patina worker: {why}\n")
    sys.exit(EXIT_REFUSED)
