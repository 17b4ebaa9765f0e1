"""Intakes by the worker: Patina's downloads and foreign files; a worker that dies during one."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from core_script import ScriptedCore, error_line, golden
from fixture_types import MIB, MakeSandbox, StartRun
from intakes import (
    downloaded,
    image_of,
    intake_of,
    layout_of,
    made,
    packed,
    queue,
    refused_now,
    taken_in,
)
from observe import device_of, run_of
from patina.db import transaction
from patina.device_action import service as action_service
from patina.device_action.models import Action
from patina.device_action.schemas import ActionCreate
from patina.image import service as image_service
from patina.image.content import DownloadFormat
from patina.image.download import MEDIA_TYPES
from patina.image.models import Image
from patina.image.schemas import ImageRead
from patina.image_import import service
from patina.image_import.models import Intake
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import wait_until
from worker_process import WorkerProcess

SIZE_BYTES = 128 * MIB

SIZE_BYTES = 128 * MIB
pytestmark = pytest.mark.usefixtures("no_intake_left")


@pytest.fixture
def aged(make_sandbox: MakeSandbox, start_run: StartRun) -> ImageRead:
    """Returns an image that Patina made."""
    from patina_worker import tasks

    run_id = start_run(make_sandbox(SIZE_BYTES))
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    with transaction() as session:
        [image] = session.query(Image).all()
        return image_service.read(image)


@pytest.mark.parametrize("image_format", list(MEDIA_TYPES))
def test_a_download_of_ours_comes_back_as_the_same_image_and_costs_nothing(
    aged: ImageRead, tmp_path: Path, image_format: DownloadFormat
) -> None:
    file = downloaded(aged.id, image_format, tmp_path)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()

    image = image_of(taken_in(file, sha256=sha256, kind="unaged", source="our own download"))

    assert image.index_digest == aged.index_digest
    assert image.capture.new_bytes == 0
    assert (image.origin, image.file_system, image.run_id, image.recipe) == ("imported", "ext4", None, None)
    facts = image.intake
    assert facts is not None
    assert (facts.format, facts.file_sha256, facts.kind) == (image_format, sha256, "unaged")
    assert (facts.source, facts.holds, facts.is_clean) == ("our own download", "ext4", True)
    layout = layout_of(image)
    assert layout is not None
    assert layout == layout_of(aged)


def test_an_imported_image_is_restored_to_the_byte_and_a_trial_of_it_is_its_child(
    make_sandbox: MakeSandbox, tmp_path: Path
) -> None:
    from patina_worker import tasks

    file = made(tmp_path, "mkfs.ext4 -q")
    parent = image_of(taken_in(file))
    device_id = make_sandbox(64 * MIB)
    device = device_of(device_id)
    body = {
        "kind": "restore",
        "device_id": device_id,
        "image_id": parent.id,
        "confirmation": {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "typed": device.path},
    }
    with transaction() as session:
        create = ActionCreate.model_validate(body)
        action_id = action_service.start_action(session=session, create=create, idempotency_key=None).id
    tasks.work(action_id)
    with transaction() as session:
        assert session.get_one(Action, action_id).state == JobState.SUCCEEDED
    subprocess.run(["cmp", file, device.path or ""], check=True)
    with transaction() as session:
        child = image_service.read(
            image_service.publish_child(
                session=session,
                parent=session.get_one(Image, parent.id),
                host_id=session.get_one(Action, action_id).device.host_id,
                index_name="a-trials",
                capture=parent.capture,
                layout=None,
            )
        )
    assert (child.origin, child.run_id, child.name) == ("trial", None, "foreign-after-1")
    assert child.intake == parent.intake
    assert child.parent is not None


@pytest.mark.usefixtures("as_root")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["xfs", "btrfs", "ext3", "ext2"])
def test_other_file_systems_are_known_checked_and_measured(tmp_path: Path, name: str) -> None:
    image = image_of(taken_in(made(tmp_path, f"mkfs.{name} -q", size="320M")))
    assert image.intake is not None
    assert (image.file_system, image.intake.is_clean) == (name, True)
    assert layout_of(image) is not None


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize(
    ("command", "holds"),
    [
        ("mkswap disk.img", "swap"),
        ("echo label: gpt | sfdisk -q disk.img", "GPT partition table"),
        ("printf unknown | dd conv=notrunc of=disk.img", "unrecognised content"),
        ("true", None),
    ],
)
def test_what_holds_no_file_system_is_an_image_all_the_same(tmp_path: Path, command: str, holds: str | None) -> None:
    file = tmp_path / "disk.img"
    file.touch()
    os.truncate(file, 64 * MIB)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    image = image_of(taken_in(file))
    assert image.intake is not None
    assert (image.file_system, image.intake.holds, image.intake.is_clean) == (None, holds, None)
    assert layout_of(image) is None
    assert image.size_bytes == 64 * MIB


@pytest.mark.usefixtures("as_root")
def test_a_foreign_compressed_qcow2_is_unpacked(tmp_path: Path) -> None:
    file = made(tmp_path, "mkfs.ext4 -q")
    direct = image_of(taken_in(file))
    for number, options in enumerate((["-c"], ["-c", "-o", "compression_type=zstd"], ["-o", "compat=0.10"])):
        other = image_of(taken_in(packed(file, "qcow2", *options), name=f"other{number}x"))
        assert other.index_digest == direct.index_digest


@pytest.mark.usefixtures("as_root")
def test_delivered_twice_it_is_taken_in_once(tmp_path: Path) -> None:
    from patina_worker import tasks

    file = tmp_path / "a.img"
    file.write_bytes(b"x" * MIB)
    first = taken_in(file)
    tasks.work(first.id)
    tasks.work(999_999)
    with transaction() as session:
        assert session.query(Image).count() == 1


@pytest.fixture
def tools_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yields the only folder in which tools are found; confined tools may enter it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for tool in ("prlimit", "unshare", "setpriv", "sleep"):
            (folder / tool).symlink_to(shutil.which(tool) or "")
        monkeypatch.setenv("PATH", str(folder))
        yield folder


@pytest.mark.usefixtures("as_root")
def test_a_tool_that_is_missing_or_does_not_end_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    from patina_worker.handlers.image_import import unpack

    (tmp_path / "a.img").write_bytes(bytes(MIB))
    file = packed(tmp_path / "a.img", "qcow2")
    intake_ids = [queue(file), queue(file, name="again")]
    folder: Path = request.getfixturevalue("tools_folder")
    assert refused_now(intake_ids[0]) == "tool_missing"
    slow = folder / "qemu-img"
    slow.write_text("#!/bin/sh\nexec sleep infinity\n")
    slow.chmod(0o755)
    monkeypatch.setattr(unpack, "QEMU_IMG_PATIENCE_S", 0.5)
    assert refused_now(intake_ids[1]) == "tool_too_slow"


def noise(folder: Path) -> Path:
    """Returns an incompressible file."""
    file = folder / "noise.img"
    file.write_bytes(os.urandom(4 * MIB))
    return file


def test_a_worker_that_is_killed_leaves_the_file_to_be_taken_in_again(
    worker: WorkerProcess, scripted_core: ScriptedCore, tmp_path: Path
) -> None:
    file = noise(tmp_path)
    halt = scripted_core.script("capture").becomes_real_after_halt()
    worker.environment["PATINA_CORE"] = str(scripted_core.path)
    intake_id = queue(file)
    worker.start()
    with halt.held():
        assert intake_of(intake_id).message == "Capturing the image into the chunk store"
        worker.end(signal.SIGKILL)
    del worker.environment["PATINA_CORE"]
    worker.start()
    wait_until("it is interrupted", lambda: intake_of(intake_id).state == JobState.INTERRUPTED)
    with transaction() as session:
        service.finish_upload(session=session, intake_id=intake_id, sha256=None)
    wait_until("it is taken in", lambda: intake_of(intake_id).state == JobState.SUCCEEDED)
    wait_until("its file is removed", lambda: not intake_of(intake_id).spool_path.exists())
    worker.end(signal.SIGTERM)


def test_it_is_canceled_while_it_is_under_way_and_handed_back_when_the_worker_stops(
    worker: WorkerProcess, scripted_core: ScriptedCore, tmp_path: Path
) -> None:
    file = noise(tmp_path)
    script = scripted_core.script("capture").when_told_to_stop(error_line("canceled", "told to stop"), status=30)
    script.say(golden("capture")[0]).hang()
    worker.environment["PATINA_CORE"] = str(scripted_core.path)
    worker.start()
    first = queue(file)
    wait_until("it captures", lambda: intake_of(first).message == "Capturing the image into the chunk store")
    with transaction() as session:
        job_service.stop(session=session, job_id=first)
    wait_until("it is canceled", lambda: intake_of(first).state == JobState.CANCELED)
    second = queue(file)
    wait_until("it captures", lambda: intake_of(second).message == "Capturing the image into the chunk store")
    worker.end(signal.SIGTERM)
    assert intake_of(second).state == JobState.INTERRUPTED
    assert intake_of(second).spool_path.exists()


def test_it_is_canceled_while_its_digest_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from patina_worker import tasks
    from patina_worker.jobs import log as job_log

    monkeypatch.setattr(job_log, "WISHES_POLL_S", 0.0)
    intake_id = queue(noise(tmp_path))
    seen: list[int] = []

    def _cancel(_log: object, done_bytes: int, _total_bytes: int) -> None:
        seen.append(done_bytes)
        with transaction() as session:
            job_service.stop(session=session, job_id=intake_id)

    monkeypatch.setattr(job_log.JobLog, "progress", _cancel)
    tasks.work(intake_id)

    assert intake_of(intake_id).state == JobState.CANCELED
    assert seen == [MIB], "it stopped after the first piece"


def test_an_expired_intake_is_canceled_and_removed(host_id: int, tmp_path: Path) -> None:
    from patina_worker.host import spool

    file = tmp_path / "a.img"
    file.write_bytes(b"x" * MIB)
    forgotten, waiting = queue(file), queue(file, name="another")
    stray = settings().spool_dir / "intake-of-another-database"
    stray.touch()
    with transaction() as session:
        session.execute(
            update(Job).where(Job.id == forgotten).values(state=JobState.UPLOADING, touched_at="2026-01-01T00:00:00Z")
        )
    spool.tidy(host_id=host_id)
    assert intake_of(forgotten).state == JobState.CANCELED
    assert not intake_of(forgotten).spool_path.exists()
    assert not stray.exists()
    assert intake_of(waiting).spool_path.exists()


def test_the_command_goes_on_where_it_was_killed_and_prints_the_image(
    server: ServedApp, worker: WorkerProcess, tmp_path: Path
) -> None:
    file = tmp_path / "old server.qcow2"
    file.write_bytes(packed(made(tmp_path, "mkfs.ext4 -q"), "qcow2").read_bytes())
    with file.open("ab") as padded:
        padded.write(os.urandom(64 * MIB))  # behind the last cluster: unused, but sent all the same
    argv = [sys.executable, "-m", "patina.cli", "import", str(file), "--name", "old-server", "--source", "the cellar"]
    environment = {**os.environ, "PATINA_URL": server.url}
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _is_half_sent() -> bool:
        with transaction() as session:
            return any(row.received_bytes > 0 for row in session.query(Intake))

    wait_until("some of it was sent", _is_half_sent)
    process.kill()
    process.wait()
    worker.start()

    done = subprocess.run([*argv, "--json"], env=environment, capture_output=True, text=True, check=True)

    image = json.loads(done.stdout)
    assert (image["name"], image["intake"]["source"]) == ("old-server", "the cellar")
    assert image["intake"]["file_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    with transaction() as session:
        assert session.query(Intake).count() == 1
    again = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "There is an image old-server already" in again.stderr
    listed = subprocess.run([*argv[:3], "images"], env=environment, capture_output=True, text=True, check=True)
    assert "imported" in listed.stdout
    worker.end(signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"), [("no-such-file", "is not a file"), ("x.img", "a device has whole sectors")]
)
def test_the_command_says_why_a_file_is_not_taken(server: ServedApp, tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "x.img").write_bytes(b"x" * 1000)
    done = subprocess.run(
        [sys.executable, "-m", "patina.cli", "import", str(tmp_path / name)],
        env={**os.environ, "PATINA_URL": server.url}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert words in " ".join(done.stderr.split())
