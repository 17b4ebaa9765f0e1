"""Imported files that are hostile or damaged."""

import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from fixture_types import MIB
from hostile import without_constraint
from intakes import (
    downloaded,
    image_of,
    intake_of,
    layout_of,
    made,
    packed,
    queue,
    refused,
    refused_now,
    taken_in,
)
from patina.db import transaction
from patina.image.content import Format
from patina.image.models import Image
from patina.image_import.models import Intake
from patina.settings import settings

SIZE_BYTES = 128 * MIB

pytestmark = pytest.mark.usefixtures("no_intake_left")


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize(("name", "mark"), [("ext4", "feature needs_recovery"), ("ext2", "set_super_value state 0")])
def test_a_file_system_that_was_not_unmounted_is_marked_and_never_mounted(tmp_path: Path, name: str, mark: str) -> None:
    file = made(tmp_path, f"mkfs.{name} -q")
    subprocess.run(["debugfs", "-w", "-R", mark, file], check=True, capture_output=True)
    image = image_of(taken_in(file))
    facts = image.intake
    assert facts is not None
    assert facts.is_clean is False
    assert "journal" in facts.check_message
    assert layout_of(image) is None


@pytest.mark.usefixtures("as_root")
def test_a_damaged_file_system_is_marked_and_never_mounted(tmp_path: Path) -> None:
    from patina_worker.handlers import device_action

    file = made(tmp_path, "mkfs.ext4 -q")
    with file.open("r+b") as disk:
        disk.seek(4096)  # the group descriptors
        disk.write(b"\xff" * 4096)
    image = image_of(taken_in(file))
    facts = image.intake
    assert facts is not None
    assert facts.is_clean is False
    assert "e2fsck" in facts.check_message
    assert layout_of(image) is None
    with transaction() as session:
        assert not device_action._may_be_mounted(session.get_one(Image, image.id)), (
            "nor to measure what a trial made of it"
        )


@pytest.mark.usefixtures("as_root")
def test_files_that_were_cut_off_or_changed_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "noise.img"
    file.write_bytes(os.urandom(4 * MIB))
    whole = packed(file, "qcow2").read_bytes()
    cut = tmp_path / "cut.qcow2"
    cut.write_bytes(whole[: len(whole) // 2])
    assert refused(cut) == "file_damaged"
    table = bytearray(whole)
    at = int.from_bytes(whole[40:48], "big")
    table[at : at + 8] = b"\x7f" * 8  # the first table lies outside the file
    cut.write_bytes(table)
    assert refused(cut) == "file_damaged"
    subprocess.run(["zstd", "-q", file], check=True)
    zst = (tmp_path / "noise.img.zst").read_bytes()
    cut.write_bytes(zst[:-1000])
    assert refused(cut) == "file_damaged"
    cut.write_bytes(zst[:MIB] + b"\0" * 1000 + zst[MIB + 1000 :])
    assert refused(cut) == "file_damaged"
    assert refused(file, sha256="0" * 64) == "digest_mismatch"


def test_a_file_that_says_something_else_by_now_is_refused(tmp_path: Path) -> None:
    """The worker checks the head again: the file may have been replaced since the API's check."""
    base = tmp_path / "base.img"
    base.write_bytes(bytes(MIB))
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-b", base, "-F", "raw", tmp_path / "b"], check=True)
    assert refused(tmp_path / "b") == "qcow2_needs_more"
    assert refused(base, format="qcow2") == "format_contradicted"


@pytest.mark.usefixtures("as_root")
def test_a_file_that_is_written_to_while_it_is_taken_in_is_the_image_that_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The API's account could try so to have the kernel mount unchecked content."""
    from patina_worker.handlers.image_import import import_job
    from patina_worker.handlers.image_import.check import examine

    file = made(tmp_path, "mkfs.ext4 -q")
    before = hashlib.sha256(file.read_bytes()).hexdigest()

    def _examine_then_write(*args: object, **named: object) -> object:
        found = examine(*args, **named)  # type: ignore[arg-type]
        for spooled in settings().spool_dir.iterdir():
            with spooled.open("r+b") as disk:
                disk.write(b"x" * MIB)
        return found

    monkeypatch.setattr(import_job, "examine", _examine_then_write)
    image = image_of(taken_in(file))
    raw = downloaded(image.id, Format.RAW, tmp_path)
    assert image.intake is not None
    assert hashlib.sha256(raw.read_bytes()).hexdigest() == before == image.intake.file_sha256


@pytest.mark.slow
def test_what_unpacks_to_more_than_the_server_takes_in_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings().__dict__, "intake_quota_bytes", 32 * MIB)
    bomb = tmp_path / "bomb"
    subprocess.run(["truncate", "-s", "1G", bomb], check=True)
    subprocess.run(["zstd", "-q", bomb], check=True)
    assert refused(tmp_path / "bomb.zst") == "image_size_refused"
    assert refused(packed(bomb, "qcow2")) == "image_size_refused"
    odd = tmp_path / "odd"
    odd.write_bytes(b"x" * 1000)
    subprocess.run(["zstd", "-q", odd], check=True)
    assert refused(tmp_path / "odd.zst") == "image_size_refused"
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    subprocess.run(["zstd", "-q", empty], check=True)
    assert refused(tmp_path / "empty.zst") == "image_size_refused"


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize("image_format", ["qcow2", "zst", "raw"])
def test_a_disk_that_is_full_while_it_is_unpacked_loses_only_the_intake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image_format: str
) -> None:
    from patina_worker.host import scratch

    small, file = tmp_path / "small", tmp_path / "noise.img"
    small.mkdir()
    file.write_bytes(os.urandom(4 * MIB) * 4)
    if image_format == "raw":
        file.rename(file.with_suffix(".packed"))
    elif image_format == "zst":
        subprocess.run(["zstd", "-q", "--long=27", file, "-o", file.with_suffix(".packed")], check=True)
    else:
        packed(file, "qcow2")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", small], check=True)
    try:
        monkeypatch.setattr(scratch, "folder", lambda: small)
        assert refused(file.with_suffix(".packed")) == "scratch_no_space"
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_spool_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    from patina_worker import tasks

    file = tmp_path / "a.img"
    file.write_bytes(bytes(MIB))
    intake_id = queue(file)
    intake_of(intake_id).spool_path.unlink()
    tasks.work(intake_id)
    assert intake_of(intake_id).error_code == "spool_missing"


def _link_to_a_file_of_roots(intake: Intake, tmp_path: Path) -> None:
    intake.spool_path.unlink()
    intake.spool_path.symlink_to(tmp_path / "secret")


def _second_name_of_a_file_of_roots(intake: Intake, tmp_path: Path) -> None:
    intake.spool_path.unlink()
    intake.spool_path.hardlink_to(tmp_path / "secret")


def _fifo(intake: Intake, tmp_path: Path) -> None:
    intake.spool_path.unlink()
    os.mkfifo(intake.spool_path)


def _file_of_another_account(intake: Intake, tmp_path: Path) -> None:
    os.chown(intake.spool_path, 65_534, 65_534)


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize(
    "put_there",
    [_link_to_a_file_of_roots, _second_name_of_a_file_of_roots, _fifo, _file_of_another_account],
)
def test_what_is_not_a_file_of_the_upload_is_not_read_and_not_changed(
    tmp_path: Path, put_there: Callable[[Intake, Path], None]
) -> None:
    """The spool belongs to the API's account; the worker, which is root, opens files in it."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret" * MIB)
    secret.chmod(0o600)
    intake_id = queue(secret)
    put_there(intake_of(intake_id), tmp_path)
    assert refused_now(intake_id) == "spool_file_refused"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert secret.stat().st_size == 6 * MIB


@pytest.mark.usefixtures("as_root")
def test_a_path_in_place_of_a_files_name_is_refused_by_the_database_and_by_the_worker(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(MIB))
    intake_id = queue(secret)
    lead_elsewhere = update(Intake).where(Intake.id == intake_id).values(spool_name=str(secret))
    with pytest.raises(IntegrityError, match="spool_name_is_file_name"), transaction() as session:
        session.execute(lead_elsewhere)
    with without_constraint("intake", "ck_intake_spool_name_is_file_name"):
        with transaction() as session:
            session.execute(lead_elsewhere)
        assert refused_now(intake_id) == "file_name_refused"
        with transaction() as session:
            session.execute(update(Intake).where(Intake.id == intake_id).values(spool_name="intake-again"))


@pytest.mark.usefixtures("as_root")
def test_the_tidying_of_the_spool_touches_nothing_but_files_in_it(host_id: int, tmp_path: Path) -> None:
    from patina_worker.host import spool

    secret, folder = tmp_path / "secret", settings().spool_dir
    secret.write_bytes(bytes(MIB))
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / "link").symlink_to(secret)
    os.mkfifo(folder / "fifo")
    spool.tidy(host_id=host_id)
    assert list(folder.iterdir()) == []
    folder.rmdir()
    folder.symlink_to(tmp_path)
    os.lchown(folder, 65_534, 65_534)
    spool.tidy(host_id=host_id)
    folder.unlink()
    assert secret.exists()


@pytest.mark.usefixtures("as_root")
def test_a_file_system_with_the_mark_of_another_is_not_mounted(tmp_path: Path) -> None:
    """The ext4 passes its check, but the kernel could mount the other file system."""
    file = made(tmp_path, "mkfs.ext4 -q")
    with file.open("r+b") as disk:
        disk.write(b"XFSB")
    image = image_of(taken_in(file))
    assert image.intake is not None
    assert (image.file_system, image.intake.holds, image.intake.is_clean) == (None, "several signatures", None)
    assert layout_of(image) is None
