"""Makes a device equal to an image: by a restore, or by a rollback of what a trace saw."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patina.core.contract.age import RESTORE, RestoreSummary
from patina.core.contract.image import ROLLBACK, RollbackSummary
from patina.core.record import Command, Result
from patina.core.supervised import run_core
from patina.file_name import file_below
from patina.image.models import Image
from patina.settings import settings
from patina_worker.host.write_check import Target


def written_device(target: Target) -> list[str]:
    """Returns the options of the core for a device that an image is written to."""
    return ["--device", target.path, *(["--drops-data"] if target.is_emulated else [])]


@dataclass(frozen=True)
class StoredImage:
    """An image of the catalog, independent of the database."""

    image_id: int
    name: str
    file_system: str | None
    index_name: str
    index_digest: str
    uuid: str | None  # of its file system, as its recipe has it

    def argv(self) -> list[str]:
        """Returns the options of the core that name it."""
        return ["--index", str(file_below(settings().index_dir, self.index_name)), "--index-digest", self.index_digest]


def stored(image: Image) -> StoredImage:
    """Returns the image of a row whose session is open."""
    return StoredImage(
        image_id=image.id,
        name=image.name,
        file_system=image.file_system,
        index_name=image.index_name,
        index_digest=image.index_digest,
        uuid=(image.recipe or {}).get("file_system_uuid"),
    )


def restore(image: StoredImage, target: Target, *, check: Callable[[], bool], lock: int) -> RestoreSummary:
    """Writes the image to the device, every byte verified unless the device drops data."""
    return _run(RESTORE, image, target, [], check, lock)


def rollback(
    image: StoredImage, target: Target, delta: Path | None, *, check: Callable[[], bool], lock: int
) -> RollbackSummary:
    """Rewrites the blocks of the delta; without one compares everything."""
    argv = ["--delta", str(delta)] if delta is not None and delta.exists() else []
    return _run(ROLLBACK, image, target, argv, check, lock)


def _run(
    command: Command[Any, Result],
    image: StoredImage,
    target: Target,
    more: list[str],
    check: Callable[[], bool],
    lock: int,
) -> Result:
    argv = [*image.argv(), "--store", str(settings().store_dir), *written_device(target), *more]
    return run_core(command, argv, check=check, inherit=(lock,))
