"""The checkpoints of this host's runs: one file for each, written by the core, kept while the run may go on.

A run may go on until it has ended. After a success its checkpoint stays while the device holds its image, for an
extension.
"""

import json
from pathlib import Path

from sqlalchemy import select

from patina.db import transaction
from patina.delta.models import Holding
from patina.image.models import Image
from patina.job.state import ENDED
from patina.run.models import Run
from patina.settings import settings


def folder() -> Path:
    """Returns the folder of the checkpoints."""
    path = settings().state_dir / "checkpoints"
    path.mkdir(parents=True, exist_ok=True)
    return path


def file_of(run_id: int) -> Path:
    """Returns the path of the run's checkpoint, which exists once the core has written one."""
    return folder() / f"run-{run_id}.json"


def elapsed_s(run_id: int) -> float:
    """Returns the active seconds of aging up to the checkpoint; 0 without one."""
    file = file_of(run_id)
    return float(json.loads(file.read_text(encoding="utf-8"))["elapsed_s"]) if file.exists() else 0.0


def remove(run_id: int) -> None:
    """Removes the checkpoint of a run that has ended or begins again."""
    file_of(run_id).unlink(missing_ok=True)


def tidy() -> None:
    """Removes the checkpoints that no run needs any more."""
    files = {int(file.stem.removeprefix("run-")): file for file in folder().glob("run-*[0-9].json")}
    if not files:
        return
    with transaction() as session:
        going_on = select(Run.id).where(Run.id.in_(files), Run.state.not_in(ENDED))
        extended = select(Run.extends_id).where(Run.extends_id.in_(files), Run.state.not_in(ENDED))
        extendable = select(Image.run_id).join(Holding, Holding.image_id == Image.id).where(Image.run_id.in_(files))
        wanted = {run_id for query in (going_on, extended, extendable) for run_id in session.scalars(query)}
    for run_id in files.keys() - wanted:
        files[run_id].unlink(missing_ok=True)
