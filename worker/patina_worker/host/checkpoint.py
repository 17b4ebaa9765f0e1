"""The checkpoints of this host's runs: one file a run, written by the core, kept while the run may go on.

That is until it has ended; of a run that succeeded, as long as the device holds what it made: it may be extended.
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
    """Where they are."""
    path = settings().state_dir / "checkpoints"
    path.mkdir(parents=True, exist_ok=True)
    return path


def file_of(run_id: int) -> Path:
    """The run's checkpoint; the file is there once the core has written one."""
    return folder() / f"run-{run_id}.json"


def elapsed_s(run_id: int) -> float:
    """Active seconds of aging up to the checkpoint; 0 without one."""
    file = file_of(run_id)
    return float(json.loads(file.read_text(encoding="utf-8"))["elapsed_s"]) if file.exists() else 0.0


def remove(run_id: int) -> None:
    """The run has ended, or begins anew."""
    file_of(run_id).unlink(missing_ok=True)


def tidy() -> None:
    """Remove those from which nothing can go on any more."""
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
