"""Runs with every file system: to an image equal to the device, over an interruption, and in parallel."""

import signal
import struct
import subprocess
import threading
import zlib
from pathlib import Path

import pytest
from sqlalchemy import select

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, device_of, payloads_of, run_of, wait_for_end, wait_for_phase
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.device.models import Device
from patina.file_system.table import estimated_capacity_bytes, row_of
from patina.image.models import Image
from patina.job.state import JobState
from patina.run.choice import FileSystemMissing
from patina_dev.testing.wait import wait_until
from patina_worker.failure import MountFailed
from patina_worker.handlers.image_import.check import Findings, examine
from patina_worker.host import device_node, file_system, supported
from test_device_action import digest_of, done, start
from worker_process import WorkerProcess

NEW = ("xfs", "btrfs", "ext3", "ext2", "smrfs")
SIZES_BYTES = {"xfs": 304 * MIB} | dict.fromkeys(("btrfs", "ext3", "ext2", "f2fs", "smrfs"), 160 * MIB)
SOME = 0.05  # of the capacity
FEATURES = {"xfs": "REFLINK", "btrfs": "NO_HOLES", "ext3": "has_journal", "ext2": "large_file"}
FEATURES |= dict.fromkeys(("ext4", "smrfs"), "metadata_csum")


def _image_of(run_id: int) -> Image:
    with transaction() as session:
        return session.scalars(select(Image).where(Image.run_id == run_id, Image.parent_id.is_(None))).one()


def _block_map_of(image: Image) -> dict[str, object]:
    with transaction() as session:
        layout = session.scalars(select(Image.layout).where(Image.id == image.id)).one()
    assert layout is not None
    return dict(layout["block_map"])


@pytest.mark.parametrize("name", NEW)
def test_a_run_ends_in_an_image_that_gives_the_device_back(
    name: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    device_id, other_id = make_sandbox(SIZES_BYTES[name]), make_sandbox(SIZES_BYTES[name])
    run_id = start_run(device_id, file_system=name, data_mode="write", fullness=0.2)

    tasks.work(run_id)

    run = run_of(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert run.summary is not None
    assert run.recipe is not None
    assert run.summary["disk"]["missing_count"] == run.summary["disk"]["stray_count"] == 0
    recipe = run.recipe
    assert recipe["mkfs_command"][0] == row_of(name).mkfs("", 0)[0]
    assert recipe["mount_options"] == file_system.mount_options(name, "faithful")
    assert FEATURES[name] in recipe["mkfs_features"]
    assert "missing" not in [recipe["tools"][tool] for tool in row_of(name).tools]
    estimate = estimated_capacity_bytes(SIZES_BYTES[name], name)
    assert recipe["capacity_bytes"] == pytest.approx(estimate, rel=0.02)
    image = _image_of(run_id)
    assert (image.file_system, image.mode) == (name, "allocated")
    maps = [_block_map_of(image), *(each for each in payloads_of(run_id) if each["type"] == "space")]
    assert len(maps) > 1
    assert {each.get("shingled") is not None for each in maps} == {name == "smrfs"}
    done(start(other_id, "restore", image_id=image.id))
    assert digest_of(other_id) == digest_of(device_id)
    path = device_of(other_id).path or ""
    assert file_system.uuid_on(path) == recipe["file_system_uuid"]
    file_system.require_clean(name, path)
    assert (device_of(device_id).holds, device_of(other_id).holds) == (name, name)
    assert_device_is_free(device_id)


@pytest.mark.parametrize("name", NEW)
def test_a_run_whose_worker_was_killed_goes_on_from_its_checkpoint(
    name: str, worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, gate = make_sandbox(SIZES_BYTES[name]), gates.close("age.stable")
    run_id = start_run(device_id, "steady", file_system=name, fullness=SOME)
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGKILL)
    worker.start()

    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert any("goes on from its checkpoint" in str(payload.get("message")) for payload in payloads_of(run_id))
    assert run.summary is not None
    disk = run.summary["disk"]
    assert disk["missing_count"] == disk["stray_count"] == disk["wrong_size_count"] == 0
    assert device_of(device_id).holds == name
    assert_device_is_free(device_id)


@pytest.mark.parametrize("name", NEW)
def test_two_runs_with_one_seed_age_side_by_side(
    name: str, age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    gate = gates.close("age.begin")
    run_ids = [start_run(make_sandbox(SIZES_BYTES[name]), file_system=name, fullness=SOME) for _ in range(2)]
    for run_id in run_ids:
        age_here(run_id)
    with gate.held(run_ids[0]):
        for run_id in run_ids:
            wait_for_phase(run_id, Phase.RAPID)

    first, second = [wait_for_end(run_id) for run_id in run_ids]

    assert (first.state, second.state) == (JobState.SUCCEEDED, JobState.SUCCEEDED), (
        first.message,
        second.message,
    )
    assert first.summary is not None
    assert second.summary is not None
    assert first.summary["plan_digest"] == second.summary["plan_digest"]


@pytest.mark.parametrize("name", NEW)
def test_the_least_device_is_large_enough(name: str, make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(make_sandbox(max(row_of(name).least_device_bytes, 64 * MIB)), file_system=name)

    tasks.work(run_id)

    assert run_of(run_id).state == JobState.SUCCEEDED, (run_of(run_id).message, run_of(run_id).error_log)


@pytest.mark.parametrize("name", [*NEW, "f2fs"])
def test_old_bytes_that_look_like_a_file_system_do_not_stop_mkfs(name: str, make_sandbox: MakeSandbox) -> None:
    path = device_of(make_sandbox(SIZES_BYTES[name])).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)

    made = file_system.make(name, path, size_bytes=SIZES_BYTES[name], fs_uuid=file_system.new_uuid(name, 7), lock=0)

    assert file_system.uuid_on(path) == made.uuid
    assert made.uuid in " ".join(made.command)
    assert made.features
    file_system.require_clean(name, path)


def test_a_file_system_that_the_kernel_lacks_is_refused_before_the_device_is_written_to(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    if "f2fs" not in supported.lacking():
        pytest.skip("this kernel has f2fs")
    device_id = make_sandbox(row_of("f2fs").least_device_bytes)
    lacked = "this host's kernel lacks f2fs"
    with pytest.raises(FileSystemMissing, match=lacked):
        start_run(device_id, file_system="f2fs", capture_mode="exact")
    with transaction() as session:  # as if it had it when the run was queued
        session.get_one(Device, device_id).host.lacks = {}
    run_id = start_run(device_id, file_system="f2fs", capture_mode="exact")
    before = digest_of(device_id)
    tasks.work(run_id)
    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "file_system_missing")
    assert lacked in (run.message or "")
    assert digest_of(device_id) == before
    assert_device_is_free(device_id)


def test_a_host_says_which_file_systems_it_lacks_and_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "filesystems").write_text("nodev\tsysfs\n\text4\n\text3\n\text2\nnodev\tf2fs\n")
    (tmp_path / "alias").write_text("# comment\nalias fs-btrfs btrfs\nalias pci:v1 btrfs_pci\nalias fs-f2fs f2fs\n")
    monkeypatch.setattr(supported, "_REGISTERED", tmp_path / "filesystems")
    monkeypatch.setattr(supported, "_MODULES", tmp_path)
    monkeypatch.setattr(supported, "_ALIASES", tmp_path / "alias")
    assert supported.lacking() == {"xfs": "this host's kernel lacks xfs"}
    with monkeypatch.context() as without:
        without.setattr(supported, "_MODULES", tmp_path / "none")
        assert list(supported.lacking()) == ["xfs", "btrfs", "f2fs"]
    monkeypatch.setattr(supported, "_ALIASES", tmp_path / "none")
    assert supported.lacking() == {}, "not known is not lacked"
    monkeypatch.setattr(supported, "environment", lambda: {"PATH": str(tmp_path)})
    assert supported.lacking()["xfs"] == "mkfs.xfs is not installed on this host (package xfsprogs)"


def test_an_f2fs_that_was_not_unmounted_is_no_clean_import(tmp_path: Path) -> None:
    file = tmp_path / "device"
    with file.open("wb") as opened:
        opened.truncate(64 * MIB)
    subprocess.run([*row_of("f2fs").mkfs(file_system.new_uuid("f2fs", 7), 64 * MIB), file], check=True)

    def _examined() -> Findings:
        with file.open("rb") as opened:
            return examine(opened.fileno(), check=lambda: None)

    assert _examined().is_clean
    _clear_unmounted(file)
    found = _examined()
    assert (found.file_system, found.is_clean) == ("f2fs", False)
    assert "was not unmounted" in found.check_message


def _clear_unmounted(file: Path) -> None:
    """Clears CP_UMOUNT_FLAG of every checkpoint block and fixes its checksum (f2fs_fs.h: struct f2fs_checkpoint)."""
    content = bytearray(file.read_bytes())
    (first,) = struct.unpack_from("<I", content, 1024 + 76)  # cp_blkaddr
    for at in range(first * 4096, (first + 1024) * 4096, 4096):
        (checksum_offset,) = struct.unpack_from("<I", content, at + 164)
        if checksum_offset != 4092:
            continue
        (flags,) = struct.unpack_from("<I", content, at + 132)
        struct.pack_into("<I", content, at + 132, flags & ~1)
        checksum = zlib.crc32(content[at : at + 4092], 0xF2F52010 ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
        struct.pack_into("<I", content, at + 4092, checksum)
    file.write_bytes(content)


@pytest.mark.parametrize("name", NEW)
def test_who_stays_in_a_copy_of_the_mount_in_another_namespace_is_waited_for(
    name: str, make_sandbox: MakeSandbox, tmp_path: Path
) -> None:
    path = device_of(make_sandbox(SIZES_BYTES[name])).path or ""
    file_system.make(name, path, size_bytes=SIZES_BYTES[name], fs_uuid=file_system.new_uuid(name, 7), lock=0)
    is_told_to_leave = threading.Event()

    def _let_go(other: subprocess.Popen[bytes]) -> None:
        """Ends the other process once only the copy of the mount is left."""
        mounts = Path("/proc/self/mounts")
        wait_until("it is unmounted here", lambda: f" {tmp_path}/mnt " not in mounts.read_text(encoding="utf-8"))
        is_told_to_leave.set()
        other.communicate()

    with file_system.mounted(name, path, tmp_path / "mnt", options="noatime") as folder:
        argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "echo copied; read _"]
        other = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        assert other.stdout is not None
        assert other.stdout.readline() == b"copied\n"
        (folder / "file").write_bytes(b"not yet on the device")
        letting_go = threading.Thread(target=_let_go, args=(other,))
        letting_go.start()
    assert is_told_to_leave.is_set()
    letting_go.join()
    with device_node.opened_alone(path):
        pass
    file_system.require_clean(name, path)


def test_a_device_without_smrfs_is_not_served_and_leaves_no_folder(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    path = device_of(make_sandbox(SIZES_BYTES["smrfs"])).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)

    with (
        pytest.raises(MountFailed, match="it has no SMRfs; format it first"),
        file_system.mounted("smrfs", path, tmp_path / "mount", options=""),
    ):
        pytest.fail("it was mounted")

    assert not (tmp_path / "mount").exists()


def test_an_imported_smrfs_is_recognised_and_not_checked(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    path, size_bytes = device_of(make_sandbox(SIZES_BYTES["smrfs"])).path or "", SIZES_BYTES["smrfs"]
    file_system.make("smrfs", path, size_bytes=size_bytes, fs_uuid=file_system.new_uuid("smrfs", 7), lock=0)

    imported = tmp_path / "imported"
    imported.write_bytes(Path(path).read_bytes())
    imported.chmod(0o644)  # blkid runs without privileges
    with imported.open("rb") as file:
        found = examine(file.fileno(), check=lambda: None)

    assert (found.holds, found.is_clean) == ("smrfs", None)
    assert "needs a device" in found.check_message
