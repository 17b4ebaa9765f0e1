"""Helpers of the tests of intakes: queue a file, take it in in this process, expect a refusal."""

import subprocess
from pathlib import Path

from fixture_types import MIB
from patina.db import transaction
from patina.image import service as image_service
from patina.image.content import DownloadFormat
from patina.image.download import open_download
from patina.image.models import Image
from patina.image.schemas import ImageRead
from patina.image_import import service
from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.loop_files import loop_files

SIZE_BYTES = 128 * MIB


def queue(file: Path, *, sha256: str | None = None, **changes: object) -> int:
    """Queues an intake of this file, as the API does once all bytes have arrived. Returns its id."""
    size_bytes = file.stat().st_size
    body: dict[str, object] = {"name": "foreign", "kind": "foreign", "file_name": file.name, "size_bytes": size_bytes}
    with transaction() as session:
        create = IntakeCreate.model_validate(body | changes)
        intake = service.begin_intake(session=session, create=create, idempotency_key=None)
        settings().spool_dir.mkdir(exist_ok=True, mode=0o700)
        subprocess.run(["cp", "--sparse=always", file, intake.spool_path], check=True)
        intake.received_bytes = size_bytes
        session.flush()
        return service.finish_upload(session=session, intake_id=intake.id, sha256=sha256).id


def intake_of(intake_id: int) -> Intake:
    with transaction() as session:
        return session.get_one(Intake, intake_id)


def taken_in(file: Path, **changes: object) -> Intake:
    """Takes the file in, in this process."""
    from patina_worker import tasks

    intake_id = queue(file, **changes)  # type: ignore[arg-type]
    tasks.work(intake_id)
    return intake_of(intake_id)


def image_of(intake: Intake) -> ImageRead:
    assert intake.state == JobState.SUCCEEDED, (intake.message, intake.error_log)
    assert intake.image_id is not None
    with transaction() as session:
        return image_service.read(image_service.get_image(session=session, image_id=intake.image_id))


def layout_of(image: ImageRead) -> str | None:
    """Returns the layout digest; None where none was measured."""
    with transaction() as session:
        layout = session.get_one(Image, image.id).layout
    return None if layout is None else str(layout["layout_digest"])


def refused(file: Path, **changes: object) -> str | None:
    return refused_now(queue(file, **changes))  # type: ignore[arg-type]


def refused_now(intake_id: int) -> str | None:
    from patina_worker import tasks

    tasks.work(intake_id)
    intake = intake_of(intake_id)
    assert intake.state == JobState.FAILED, intake.message
    assert intake.image_id is None
    return intake.error_code


def made(folder: Path, command: str, *, size: str = "64M") -> Path:
    """Returns a file with a file system that the command made."""
    file = folder / "made.img"
    subprocess.run(["truncate", "-s", size, file], check=True)
    subprocess.run([*command.split(), str(file)], check=True, capture_output=True)
    return file


def loops_over(folder: Path) -> list[str]:
    return [file for file in loop_files().values() if str(folder) in file]


def downloaded(image_id: int, image_format: DownloadFormat, folder: Path) -> Path:
    with transaction() as session:
        image = image_service.get_image(session=session, image_id=image_id)
        download = open_download(image=image, image_format=image_format)
    file = folder / download.file_name
    with file.open("wb") as target:
        target.writelines(download.read(0, download.size_bytes))
    return file


def packed(file: Path, image_format: str, *options: str) -> Path:
    target = file.with_suffix(".packed")
    subprocess.run(["qemu-img", "convert", "-O", image_format, *options, file, target], check=True)
    return target
