"""Nameless files of this worker: killed, it leaves none, and nobody else can have put another in their place."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina.settings import settings


def folder() -> Path:
    """Where they are, closed to everybody else."""
    settings().scratch_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings().scratch_dir


@contextmanager
def file() -> Iterator[int]:
    """An empty one, as long as the context lasts: its descriptor."""
    with tempfile.TemporaryFile(dir=folder()) as made:
        yield made.fileno()
