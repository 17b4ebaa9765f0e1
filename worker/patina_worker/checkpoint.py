"""The checkpoints of this host's runs: one file a run, written by the core, kept while the run may go on."""

import json
from pathlib import Path

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
