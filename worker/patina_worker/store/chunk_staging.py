"""Chunks that arrive in this host's store, as the core adds them: staged, synced, and only then named."""

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from patina.core.failure import Stopped
from patina.image.chunks import relative_path
from patina.settings import settings
from patina_worker.failure import StoreFailed, StoreFull

# To be entered and not to be read: who can open the store's folder can lock it.
ENTERED_FOLDER = 0o711
_STAGING_PREFIX = ".patina-staging-"  # the core removes what the dead left, and leaves alone what is locked
_PAUSE_S = 0.5


def make_folder(folder: Path) -> None:
    """The API, an unprivileged process, hands out what lies in it."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(ENTERED_FOLDER)


@contextmanager
def failing_as_store(what: str) -> Iterator[None]:
    """What the system refuses in the folders, as an error of the store."""
    try:
        yield
    except OSError as error:
        where = settings().state_dir
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(f"No space for {what} below {where}. Free some space there and try again.") from error
        raise StoreFailed(f"No {what} below {where}: {error.strerror}. Look at its file system.") from error


@contextmanager
def adding_chunks(check: Callable[[], bool]) -> Iterator[None]:
    """Nobody removes chunks from this host's store meanwhile. Waits for a collection; Stopped when told to."""
    with failing_as_store("chunk store"):
        make_folder(settings().store_dir)
        descriptor = os.open(settings().store_dir, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _lock(descriptor, fcntl.LOCK_SH, check)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, how: int, check: Callable[[], bool]) -> None:
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if check():
                raise Stopped("Stopped while it waited for a garbage collection of this host's store.") from None
            time.sleep(_PAUSE_S)
        else:
            return


class Staging:
    """A folder in the store for a batch of chunks; put() in any thread, the rest in one."""

    def __init__(self) -> None:
        self._store = settings().store_dir
        self._folder = self._store / f"{_STAGING_PREFIX}fetch-{os.getpid()}"
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700)
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def __enter__(self) -> "Staging":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        os.close(self._descriptor)

    def put(self, digest: bytes, data: bytes) -> None:
        """Not yet durable, and not yet the store's."""
        with failing_as_store("chunk"):
            (self._folder / digest.hex()).write_bytes(data)

    def publish(self) -> None:
        """What was put has its name, and is whole on the disk."""
        with failing_as_store("chunk"):
            sync_file_system(self._descriptor)
            for file in self._folder.iterdir():
                target = self._store / relative_path(bytes.fromhex(file.name))
                make_folder(target.parent)
                file.chmod(0o444)
                file.rename(target)


def sync_file_system(descriptor: int) -> None:
    """syncfs(2): one for many files costs far less than an fsync for each."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(descriptor) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def use_again(digest: bytes) -> None:
    """Young again: it outlives a collection that began before its image's index was here."""
    with contextlib.suppress(FileNotFoundError):
        path = settings().store_dir / relative_path(digest)
        os.utime(path, (time.time(), path.stat().st_mtime))
