"""Adds chunks to this host's store as the core does: stage, sync, and only then rename."""

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
from patina.image.chunk import relative_path
from patina.settings import settings
from patina_worker.failure import StoreFailed, StoreFull

# Search permission without read: an account that can open the store's folder can lock it.
ENTERED_FOLDER = 0o711
_STAGING_PREFIX = ".patina-staging-"  # the core removes such folders of dead processes, never locked ones
_PAUSE_S = 0.5


def make_folder(folder: Path) -> None:
    """Makes a folder from which the API, an unprivileged process, can serve files."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(ENTERED_FOLDER)


@contextmanager
def failing_as_store(what: str) -> Iterator[None]:
    """Converts OSError in the folders into StoreFull or StoreFailed."""
    try:
        yield
    except OSError as error:
        where = settings().state_dir
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(f"No space for {what} below {where}. Free some space there and try again.") from error
        raise StoreFailed(f"No {what} below {where}: {error.strerror}. Look at its file system.") from error


@contextmanager
def adding_chunks(check: Callable[[], bool]) -> Iterator[None]:
    """Excludes the removal of chunks from this host's store. Waits for a collection; Stopped when `check` asks."""
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
        """Stages a chunk, not yet durable and not yet in the store."""
        with failing_as_store("chunk"):
            (self._folder / digest.hex()).write_bytes(data)

    def publish(self) -> None:
        """Makes the staged chunks durable and renames them into the store."""
        with failing_as_store("chunk"):
            sync_file_system(self._descriptor)
            for file in self._folder.iterdir():
                target = self._store / relative_path(bytes.fromhex(file.name))
                make_folder(target.parent)
                file.chmod(0o444)
                file.rename(target)


def sync_file_system(descriptor: int) -> None:
    """Calls syncfs(2): one for many files costs far less than an fsync for each."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(descriptor) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def use_again(digest: bytes) -> None:
    """Makes a chunk young, so that it outlives a collection that began before its image's index was here."""
    with contextlib.suppress(FileNotFoundError):
        path = settings().store_dir / relative_path(digest)
        os.utime(path, (time.time(), path.stat().st_mtime))
