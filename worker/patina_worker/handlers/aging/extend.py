"""Begins an extension: on the device as the earlier run left it, byte for byte, with that run's checkpoint."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.contract.age import Layout
from patina.core.contract.image import VERIFY
from patina.core.supervised import run_core
from patina.file_name import file_below
from patina.image.models import Image, Origin
from patina.run.models import Run
from patina.settings import settings
from patina_worker.failure import CheckpointMissing
from patina_worker.host import checkpoint
from patina_worker.host.write_check import Target
from patina_worker.store.contents_check import require_held


@dataclass(frozen=True)
class Extended:
    """The run that is extended, and its image."""

    run_id: int
    elapsed_s: float  # of its aging
    index_name: str
    index_digest: str
    file_system: str
    layout: Layout | None  # of the image
    prediction: dict[str, object] | None  # Prediction, of its aging


def extended_by(session: Session, run: Run) -> Extended | None:
    """Returns the run that this one extends, or None."""
    if run.extends_id is None:
        return None
    before = session.get_one(Run, run.extends_id)
    image = session.scalars(select(Image).where(Image.run_id == before.id, Image.origin == Origin.AGED)).one()
    assert before.summary is not None
    return Extended(
        run_id=before.id,
        elapsed_s=float(before.summary["elapsed_s"]),
        index_name=image.index_name,
        index_digest=image.index_digest,
        file_system=before.in_force.file_system,
        layout=None if image.layout is None else Layout.model_validate(image.layout),
        prediction=before.prediction,
    )


def begin(
    extended: Extended, *, run_id: int, target: Target, say: Callable[[str], None], check: Callable[[], bool], lock: int
) -> None:
    """Copies the checkpoint for the new run. CheckpointMissing; CoreFailed where the device differs from the image. Of
    an emulated disk, which generates data, the file system and its layout are compared: FsckFailed, ImageDiffers."""
    noted = checkpoint.file_of(extended.run_id)
    if not noted.exists():
        raise CheckpointMissing(
            f"The checkpoint of run {extended.run_id} is gone from this host. Start a new run with the same settings."
        )
    path = target.path
    if target.drops_data:
        require_held(path, extended.layout, file_system=extended.file_system, check=check, lock=lock)
        compared = "clean and with its layout"
    else:
        index = file_below(settings().index_dir, extended.index_name)
        argv = ["--index", str(index), "--index-digest", extended.index_digest, "--device", path]
        run_core(VERIFY, argv, check=check, inherit=(lock,))
        compared = "every byte compared"
    say(f"{path} holds the image of run {extended.run_id}, {compared}; the run goes on where that one ended")
    shutil.copyfile(noted, checkpoint.file_of(run_id))
