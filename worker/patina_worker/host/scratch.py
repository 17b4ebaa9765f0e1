"""Nameless files of this worker: killed, it leaves none, and nobody else can have put another in their place."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina.core.failure import StepFailed
from patina.settings import settings
from patina_worker.failure import ScratchNoSpace


def folder() -> Path:
    """Where they are, closed to everybody else."""
    settings().scratch_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings().scratch_dir


def full() -> StepFailed:
    return ScratchNoSpace(f"The disk of {folder()} became full while the image was unpacked. Make room there.")


@contextmanager
def filling() -> Iterator[None]:
    """ScratchNoSpace where the disk becomes full meanwhile."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise full() from error


@contextmanager
def file() -> Iterator[int]:
    """An empty one, as long as the context lasts: its descriptor."""
    with tempfile.TemporaryFile(dir=folder()) as made:
        yield made.fileno()
