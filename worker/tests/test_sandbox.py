"""Sandbox devices: made, removed, found again after a restart, lost."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from fixture_types import MIB, MakeSandbox, RemoveSandbox
from hostile import without_constraint
from observe import device_of
from patina.db import transaction
from patina.device import service as device_service
from patina.device.models import Device
from patina.host.models import Host
from patina.settings import settings
from patina_dev.testing.loop_files import disk_sequence, loop_files

UNPRIVILEGED_UID = 65_534

# One Linux partition from sector 2048.
_ENTRY = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + (2048).to_bytes(4, "little") + (4096).to_bytes(4, "little")
MASTER_BOOT_RECORD = bytes(446) + _ENTRY + bytes(48) + b"\x55\xaa"


def _file_of(device_id: int) -> Path:
    from patina_worker.host import sandbox

    device = device_of(device_id)
    return sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)


def _refresh(host_id: int) -> None:
    from patina_worker.host import inventory
    from patina_worker.host.disk_watch import Watch

    with transaction() as session:
        host = session.get_one(Host, host_id)
    inventory.refresh(host, Watch().look())


@pytest.mark.parametrize("medium", ["file", "memory"])
def test_a_sandbox_device_is_a_blank_loop_device_over_a_sparse_file(make_sandbox: MakeSandbox, medium: str) -> None:
    device_id = make_sandbox(64 * MIB, medium=medium)

    device = device_of(device_id)
    assert (device.condition, device.holds) == ("ready", None)
    assert Path(device.path or "").is_block_device()
    status = _file_of(device_id).stat()
    assert (status.st_size, status.st_blocks) == (64 * MIB, 0)
    assert _file_of(device_id).parent == (settings().memory_dir if medium == "memory" else settings().sandbox_dir)


def test_a_sandbox_device_asked_for_twice_is_made_once(make_sandbox: MakeSandbox) -> None:
    from patina_worker import tasks
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    path = device_of(device_id).path
    tasks.make_sandbox(device_id)

    assert device_of(device_id).path == path
    assert list(sandbox.attached()) == [_file_of(device_id)]


def test_a_sandbox_device_that_cannot_be_made_says_why(make_sandbox: MakeSandbox) -> None:
    folder = settings().sandbox_dir
    if folder.exists():
        folder.rmdir()
    folder.write_text("in the way", encoding="utf-8")
    try:
        device = device_of(make_sandbox(medium="file"))
        assert device.condition == "failed"
        assert str(folder) in (device.condition_reason or "")
    finally:
        folder.unlink()


def test_no_loop_device_to_be_had_is_a_failed_sandbox_device(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox
) -> None:
    from patina_worker.host import loop_device

    monkeypatch.setattr(loop_device, "_TRIES", 0)
    device = device_of(make_sandbox())
    assert device.condition == "failed"
    assert "all of them are taken" in (device.condition_reason or "")


def _link_of_another_account(folder: Path, elsewhere: Path) -> None:
    folder.symlink_to(elsewhere)
    os.lchown(folder, UNPRIVILEGED_UID, UNPRIVILEGED_UID)


def _folder_of_another_account(folder: Path, elsewhere: Path) -> None:
    folder.mkdir()
    os.chown(folder, UNPRIVILEGED_UID, UNPRIVILEGED_UID)


def _folder_that_others_write_to(folder: Path, elsewhere: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


@pytest.mark.parametrize("make", [_link_of_another_account, _folder_of_another_account, _folder_that_others_write_to])
def test_a_folder_that_a_local_user_made_first_is_not_used(
    make: Callable[[Path, Path], None], make_sandbox: MakeSandbox, tmp_path: Path
) -> None:
    """The name of the folder in shared memory is predictable."""
    from patina_worker import cleanup
    from patina_worker.host import memory_device, sandbox

    disk = tmp_path / "run-7.img"
    disk.write_bytes(b"another's disk")
    if settings().memory_dir.exists():
        settings().memory_dir.rmdir()
    make(settings().memory_dir, tmp_path)
    try:
        device = device_of(make_sandbox())
        memory_device.tidy()
        cleanup.clean_up()
    finally:
        if settings().memory_dir.is_symlink():
            settings().memory_dir.unlink()
        elif settings().memory_dir.exists():
            settings().memory_dir.rmdir()  # nothing is in it
    assert device.condition == "failed"
    assert str(settings().memory_dir) in (device.condition_reason or "")
    assert sandbox.attached() == {}
    assert disk.read_bytes() == b"another's disk"


def test_a_backing_file_that_became_a_link_is_not_attached(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    from patina_worker.failure import SandboxFailed
    from patina_worker.host import sandbox

    file = _file_of(make_sandbox())
    sandbox.detach(sandbox.attached()[file])
    file.unlink()
    (tmp_path / "disk").write_bytes(bytes(MIB))
    file.symlink_to(tmp_path / "disk")
    with pytest.raises(SandboxFailed, match="cannot be opened"):
        sandbox.attach(file)
    file.unlink()


def test_a_path_in_place_of_a_devices_id_reaches_no_file(
    make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox, host_id: int, tmp_path: Path
) -> None:
    device_id = make_sandbox(medium="file")
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(128 * MIB))
    lead_elsewhere = update(Device).where(Device.id == device_id).values(stable_id=str(disk.with_suffix("")))
    with pytest.raises(IntegrityError, match="stable_id_is_file_name"), transaction() as session:
        session.execute(lead_elsewhere)
    with without_constraint("device", "ck_device_stable_id_is_file_name"):
        stable_id = device_of(device_id).stable_id
        with transaction() as session:
            session.execute(lead_elsewhere)
        _refresh(host_id)
        device = device_of(device_id)
        assert (device.condition, device.path) == ("lost", None)
        assert "is not a name of a file" in (device.condition_reason or "")
        remove_sandbox(device_id)
        assert disk.stat().st_size == 128 * MIB
        with transaction() as session:
            session.execute(update(Device).where(Device.id == device_id).values(stable_id=stable_id))


def test_a_removed_sandbox_device_leaves_nothing_behind(
    make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox
) -> None:
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    file = _file_of(device_id)
    remove_sandbox(device_id)

    assert not file.exists()
    assert sandbox.attached() == {}
    device = device_of(device_id)
    assert (device.condition, device.path, device.active_lease) == ("removed", None, None)
    with transaction() as session:
        assert device_service.list_devices(session=session) == []


def test_a_mounted_sandbox_device_is_not_removed(
    make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox, tmp_path: Path
) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    subprocess.run(["mount", path, str(tmp_path)], check=True)
    try:
        remove_sandbox(device_id)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)

    device = device_of(device_id)
    assert (device.condition, device.active_lease) == ("protected", None)
    assert "in use" in (device.condition_reason or "")
    assert _file_of(device_id).exists()


def test_a_sandbox_device_is_attached_again_after_a_restart(make_sandbox: MakeSandbox, host_id: int) -> None:
    from patina_worker.host import sandbox

    device_id = make_sandbox(medium="file")
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    sandbox.detach(path)

    _refresh(host_id)

    device = device_of(device_id)
    assert (device.condition, device.holds) == ("ready", "ext4")
    assert sandbox.attached() == {_file_of(device_id): device.path}


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_loop_device_is_ours_also_when_the_worker_that_attached_it_is_gone(
    make_sandbox: MakeSandbox, is_deleted: bool
) -> None:
    from patina_worker import cleanup
    from patina_worker.host import sandbox

    device_id = make_sandbox(medium="memory")
    file = _file_of(device_id)
    sandbox.detach(device_of(device_id).path or "")
    # The namespace ends with the command, and then the kernel's name of the file lacks the mount point.
    argv = ["unshare", "--mount", "losetup", "--find", "--show", str(file)]
    path = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()
    attached = disk_sequence(path)
    if is_deleted:
        file.unlink()

    assert list(sandbox.attached().values()) == [path]
    assert is_deleted or sandbox.attach(file) == path
    cleanup.clean_up()
    assert sandbox.attached() == {}
    assert disk_sequence(path) != attached


def test_a_device_stays_the_one_it_is_when_another_program_attaches_its_file_again(make_sandbox: MakeSandbox) -> None:
    """Either of the two loop devices may have the lower number."""
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    path, file = device_of(device_id).path, _file_of(device_id)
    argv = ["losetup", "--find", "--show", str(file)]
    second = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()
    try:
        assert sandbox.attach(file, known=path) == path
        assert sandbox.attach(file, known=second) == second
    finally:
        subprocess.run(["losetup", "--detach", second], check=True)
    assert sandbox.attach(file, known=second) == path


def test_a_sandbox_device_whose_memory_is_gone_is_lost_and_can_be_removed(
    make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox, host_id: int
) -> None:
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    sandbox.detach(device_of(device_id).path or "")
    _file_of(device_id).unlink()

    _refresh(host_id)

    device = device_of(device_id)
    assert (device.condition, device.path) == ("lost", None)
    assert "memory" in (device.condition_reason or "")
    remove_sandbox(device_id)
    assert device_of(device_id).condition == "removed"


def test_what_a_device_holds_is_seen(make_sandbox: MakeSandbox, host_id: int) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    seen = []
    with Path(path).open("r+b") as node:
        node.write(b"unrecognised content")
    _refresh(host_id)
    seen.append(device_of(device_id).holds)
    with Path(path).open("r+b") as node:
        node.write(MASTER_BOOT_RECORD)
    _refresh(host_id)
    seen.append(device_of(device_id).holds)

    assert seen == ["unrecognised content", "DOS partition table"]


def test_attached_devices_are_listed_with_why_they_are_protected(host_id: int) -> None:
    from patina_worker.host import probe

    _refresh(host_id)

    with transaction() as session:
        rows = {d.stable_id: d for d in device_service.list_devices(session=session) if d.kind == "attached"}
    assert set(rows) == {block.stable_id for block in probe.list_attached()}
    for row in rows.values():
        assert row.condition == "protected"
        assert row.condition_reason


def test_an_attached_device_that_is_gone_is_lost(host_id: int) -> None:
    with transaction() as session:
        device = Device(
            host_id=host_id,
            stable_id="wwn-0xgone",
            kind="attached",
            path="/dev/sdz",
            size_bytes=1,
            is_rotational=True,
            condition="ready",
        )
        session.add(device)
        session.flush()
        device_id = device.id

    _refresh(host_id)

    assert (device_of(device_id).condition, device_of(device_id).condition_reason) == ("lost", "no longer attached")


def test_cleaning_up_leaves_files_on_disk_and_nothing_else(make_sandbox: MakeSandbox) -> None:
    from patina_worker import cleanup
    from patina_worker.host import sandbox

    on_disk, in_memory = make_sandbox(medium="file"), make_sandbox(medium="memory")

    lines = cleanup.clean_up()

    assert sandbox.attached() == {}
    assert _file_of(on_disk).exists()
    assert not settings().memory_dir.exists()
    assert sum(line.startswith("detached") for line in lines) == 2
    assert any(str(_file_of(in_memory)) in line for line in lines)


@pytest.mark.usefixtures("as_root")
def test_cleaning_up_lets_loop_devices_of_others_be(host_id: int, tmp_path: Path) -> None:
    from patina_worker import cleanup

    file = tmp_path / "foreign.img"
    file.write_bytes(bytes(MIB))
    done = subprocess.run(["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True)
    try:
        cleanup.clean_up()
        assert loop_files()[done.stdout.strip()] == str(file)
    finally:
        subprocess.run(["losetup", "--detach", done.stdout.strip()], check=True)


def test_a_row_that_names_what_a_run_has_in_memory_makes_and_removes_nothing(host_id: int) -> None:
    from patina.file_name import FileNameRefused
    from patina_worker.host import sandbox

    with pytest.raises(FileNameRefused, match="no sandbox device's"):
        sandbox.make(stable_id="run-7", medium="memory", size_bytes=64 * MIB)
    with pytest.raises(FileNameRefused, match="no sandbox device's"):
        sandbox.remove(stable_id="run-7", medium="memory")


def test_a_row_does_not_raise_the_quota_of_its_host(make_sandbox: MakeSandbox) -> None:
    from patina_worker.failure import SandboxFailed
    from patina_worker.host import sandbox

    make_sandbox()
    with pytest.raises(SandboxFailed, match="PATINA_SANDBOX_QUOTA_BYTES"):
        sandbox.make(stable_id="sandbox-large", medium="file", size_bytes=settings().sandbox_quota_bytes)
