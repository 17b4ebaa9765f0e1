"""The operation logs of runs of this host: of every run the creates of its survivors, and the whole log of those that
keep it. Written by the core, kept as long as the run's image.

Another run replays one on a device of the same host (docs/file-formats.md, "Operation log").
"""

import re
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.image import service as image_service
from patina.image.models import Image, Origin
from patina.job.state import ENDED
from patina.run.models import Run
from patina.run.replay import OperationLogMissing
from patina.settings import settings

log = structlog.get_logger()
# The core's files: the log, and a temporary file beside it, which a killed core leaves.
_NAME = re.compile(r"run-(\d+)\.(log|survivors)(\.tmp)?")


def folder() -> Path:
    """Returns the folder of the operation logs."""
    path = settings().state_dir / "operation-logs"
    path.mkdir(parents=True, exist_ok=True)
    return path


def file_of(run_id: int) -> Path:
    """Returns the path of the run's operation log, which exists once the core has finished it."""
    return folder() / f"run-{run_id}.log"


def survivors_of(run_id: int) -> Path:
    """Returns the path of the log of the creates of the run's survivors."""
    return folder() / f"run-{run_id}.survivors"


def required(run_id: int, *, survivors: bool) -> Path:
    """Returns the log to replay of a run, for its survivors alone also a log of these. OperationLogMissing."""
    files = [file_of(run_id), survivors_of(run_id)] if survivors else [file_of(run_id)]
    file = next((file for file in files if file.exists()), None)
    if file is None:
        raise OperationLogMissing(
            f"The operation log of run {run_id} is gone from this host. Age again and keep the log."
        )
    return file


def bytes_of(run_id: int) -> int | None:
    """Returns the size of the run's log; None without one."""
    return _bytes_of(file_of(run_id))


def survivors_bytes_of(run_id: int) -> int | None:
    """Returns the size of the log of the run's survivors; None without one."""
    return _bytes_of(survivors_of(run_id))


def _bytes_of(file: Path) -> int | None:
    return file.stat().st_size if file.exists() else None


def remove(run_id: int) -> None:
    """Removes a log under the number of a run that begins: an earlier database may have used the number."""
    for file in (file_of(run_id), survivors_of(run_id)):
        file.unlink(missing_ok=True)


def remove_unneeded(*, session: Session, grace_s: int) -> None:
    """Removes the logs of ended runs whose image cannot be undeleted, older than the grace period."""
    files: dict[int, list[Path]] = {}
    for file in folder().iterdir():
        if match := _NAME.fullmatch(file.name):
            files.setdefault(int(match[1]), []).append(file)
    if not files:
        return
    kept = Image.deleted_at.is_(None) | (Image.deleted_at > image_service.oldest_kept())
    imaged = select(Image.run_id).where(Image.run_id.in_(files), Image.origin == Origin.AGED, kept)
    under_way = select(Run.id).where(Run.id.in_(files), Run.state.not_in(ENDED))
    replayed = select(Run.settings["replay_of"].as_integer()).where(Run.state.not_in(ENDED))
    wanted = {run_id for query in (imaged, under_way, replayed) for run_id in session.scalars(query)}
    youngest = datetime.now(UTC).timestamp() - grace_s
    for run_id in files.keys() - wanted:
        if any(file.stat().st_mtime > youngest for file in files[run_id]):
            continue
        for file in files[run_id]:
            file.unlink()
        log.info("removed the operation log of a run without an image", run=run_id)
        if run := session.get(Run, run_id):
            run.operation_log_bytes = run.survivors_bytes = None
