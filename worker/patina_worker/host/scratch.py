"""Unnamed temporary files of this worker: a kill leaves none, and no other account can substitute one."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina.core.failure import StepFailed
from patina.settings import settings
from patina_worker.failure import ScratchNoSpace


def folder() -> Path:
    """Returns their folder, closed to other accounts."""
    settings().scratch_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings().scratch_dir


def full() -> StepFailed:
    return ScratchNoSpace(f"The disk of {folder()} became full while the image was unpacked. Make room there.")


@contextmanager
def filling() -> Iterator[None]:
    """Converts a full disk into ScratchNoSpace."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise full() from error


@contextmanager
def file() -> Iterator[int]:
    """Yields the descriptor of an empty one, which lasts as long as the context."""
    with tempfile.TemporaryFile(dir=folder()) as made:
        yield made.fileno()
