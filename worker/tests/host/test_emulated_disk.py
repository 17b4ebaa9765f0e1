"""Emulated disks as sandbox devices: made, found again, ended, removed; what they report, and faults on them."""

import mmap
import os
import random
import select
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from fixture_types import MIB, MakeSandbox, RemoveSandbox
from observe import device_of, look_at_devices
from patina.core.contract.emulate import Fault, NoFault, PowerCut, ReadOnly
from patina.db import transaction
from patina.device import fault as fault_service
from patina.device.emulation import Emulated, EmulationCreate, FaultRead, Raid
from patina.device.fault import FAULT_PATIENCE_S
from patina.device.modelled import modelled_disk
from patina.device.models import Device
from patina.host.models import Host
from patina.settings import settings
from patina_dev.testing.loop_files import disk_sequence
from patina_dev.testing.wait import HANG_S
from patina_worker.failure import EmulatorEnded, SandboxFailed
from patina_worker.host import disk_report, emulated, emulator, sandbox
from patina_worker.host.disk_folder import Asked
from worker_process import WorkerProcess

TIB = 2**40
ASKED: dict[str, object] = {"data": "random", "available_bytes": 256 * MIB}


def _tasks() -> ModuleType:
    """Returns the worker's tasks, whose module needs the services."""
    from patina_worker import tasks

    return tasks


def _clean_up() -> None:
    from patina_worker import cleanup

    cleanup.clean_up()


def folder_of(device_id: int) -> Path:
    device = device_of(device_id)
    return sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)


def emulator_of(device_id: int) -> int:
    """Returns the process of the device's emulator."""
    served = emulator.find(folder_of(device_id))
    assert served is not None
    return served.pid


def kill_emulator(device_id: int) -> None:
    """Kills it, and waits until none of its threads is left: the last one closes its socket."""
    process = os.pidfd_open(emulator_of(device_id))
    signal.pidfd_send_signal(process, signal.SIGKILL)
    assert select.select([process], [], [], HANG_S)[0]
    os.close(process)


def is_there(pid: int) -> bool:
    """Returns whether the process runs, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def report(host_id: int) -> None:
    with transaction() as session:
        host = session.get_one(Host, host_id)
    disk_report.report(host)


def inject(device_id: int, fault: Fault) -> FaultRead:
    """Asks the fault as the API does, and sends it as the worker does. Returns the result in the row."""
    with transaction() as session:
        fault_service.inject_fault(session=session, device_id=device_id, fault=fault)
    _tasks().inject_fault(device_id)
    return FaultRead.model_validate(device_of(device_id).fault)


@pytest.mark.parametrize("medium", ["file", "memory"])
def test_an_emulated_disk_is_a_loop_device_larger_than_its_host(make_sandbox: MakeSandbox, medium: str) -> None:
    device_id = make_sandbox(TIB, medium=medium, emulation=ASKED)
    device = device_of(device_id)
    assert (device.condition, device.condition_reason) == ("ready", None)
    name = Path(device.path or "").name
    assert int(Path(f"/sys/block/{name}/size").read_text()) * 512 == TIB
    assert Path(f"/sys/block/{name}/loop/dio").read_text().strip() == "1"
    assert folder_of(device_id).parent == (settings().memory_dir if medium == "memory" else settings().sandbox_dir)
    assert list(sandbox.attached()) == [folder_of(device_id)]


def test_one_that_is_asked_for_twice_is_made_once(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    path, pid = device_of(device_id).path, emulator_of(device_id)
    _tasks().make_sandbox(device_id)
    assert (device_of(device_id).path, emulator_of(device_id)) == (path, pid)
    assert sandbox.attach(folder_of(device_id)) == path


def test_its_figures_are_reported(make_sandbox: MakeSandbox, host_id: int) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED | {"model": None})
    subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)
    report(host_id)
    figures = Emulated.model_validate(device_of(device_id).emulated)
    assert (figures.size_bytes, figures.available_bytes, figures.file_system) == (TIB, 256 * MIB, "ext4")
    assert 0 < figures.stored_bytes < 64 * MIB
    assert (figures.predicted_s, figures.faults, figures.error) == (None, [], None)


def test_with_a_model_its_time_is_predicted(make_sandbox: MakeSandbox, host_id: int) -> None:
    device_id = make_sandbox(2**30, emulation=ASKED | {"model": "hitachi-1tb"})
    subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)
    report(host_id)
    figures = Emulated.model_validate(device_of(device_id).emulated)
    assert figures.model == "hitachi-1tb"
    assert figures.predicted_s is not None
    assert figures.predicted_s > 0


MODELLED: dict[str, dict[str, object]] = {
    "raid": {"model": "hitachi-80gb", "raid": {"level": 5, "disks_count": 4}},
    "stretched": {"model": "hitachi-80gb", "stretch_pieces_count": 8},
    "stretched raid, all kept": {
        "model": "flash-sata",
        "raid": {"level": 0, "disks_count": 2},
        "stretch_pieces_count": 3,
        "keeps_all": True,
    },
}


def options_of(pid: int) -> list[str]:
    """Returns the options of a running emulator."""
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


@pytest.mark.parametrize("asked", MODELLED.values(), ids=MODELLED)
def test_a_raid_and_a_stretched_disk_are_used_and_started_again_as_they_were(
    make_sandbox: MakeSandbox, host_id: int, asked: dict[str, object]
) -> None:
    device_id = make_sandbox(2**30, emulation=ASKED | asked)
    path, pid = device_of(device_id).path or "", emulator_of(device_id)
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    report(host_id)
    before = Emulated.model_validate(device_of(device_id).emulated)
    assert (before.predicted_s or 0) > 0
    assert (before.model_report or {}).get("kind") == ("raid" if "raid" in asked else "rotating")
    options = options_of(pid)
    assert ("--raid" in options, "--stretch-pieces" in options, "--keep-all" in options) == (
        "raid" in asked,
        "stretch_pieces_count" in asked,
        "keeps_all" in asked,
    )

    kill_emulator(device_id)
    look_at_devices()
    assert device_of(device_id).holds == "ext4"
    assert options_of(emulator_of(device_id)) == options
    report(host_id)
    assert (Emulated.model_validate(device_of(device_id).emulated).predicted_s or 0) > 0


def predicted_of_reads(device_id: int) -> float:
    """Returns the predicted time of 200 reads at random places of a device, the same ones for each."""
    places, block = random.Random(1), mmap.mmap(-1, 4096)  # aligned, as O_DIRECT needs it
    device = os.open(device_of(device_id).path or "", os.O_RDONLY | os.O_DIRECT)
    try:
        before = emulator.status(folder_of(device_id)).predicted_s
        for _ in range(200):
            os.preadv(device, [block], places.randrange(64 * MIB // 4096) * 4096)
        after = emulator.status(folder_of(device_id)).predicted_s
    finally:
        os.close(device)
    assert before is not None
    assert after is not None
    return after - before


def test_a_stretched_disk_has_the_seeks_of_the_whole_modelled_one(make_sandbox: MakeSandbox) -> None:
    asked = ASKED | {"model": "hitachi-80gb"}
    small = predicted_of_reads(make_sandbox(64 * MIB, emulation=asked))
    stretched = predicted_of_reads(make_sandbox(64 * MIB, emulation=asked | {"stretch_pieces_count": 64}))
    assert stretched > 1.5 * small


@pytest.mark.parametrize("level", [None, 0, 1, 5])
def test_the_room_of_a_modelled_disk_is_that_of_the_core(level: int | None, tmp_path: Path) -> None:
    raid = None if level is None else Raid(level=level, disks_count=3)
    modelled = modelled_disk(EmulationCreate(model="hitachi-1tb", raid=raid))
    assert modelled is not None
    size_bytes = modelled.capacity_bytes // 4096 * 4096 + 4096
    options = ["--raid", str(level), "--disks", "3"] if raid else []
    argv = [str(settings().core), "emulate", "--backing", str(tmp_path / "disk"), "--size", str(size_bytes)]
    refused = subprocess.run([*argv, "--model", "hitachi-1tb", *options], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert f"({modelled.capacity_bytes} bytes)" in refused.stderr


def test_what_it_holds_is_seen_and_outlives_its_emulator(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)
    look_at_devices()
    assert device_of(device_id).holds == "ext4"

    kill_emulator(device_id)
    with pytest.raises(EmulatorEnded, match="does not run"):
        emulator.status(folder_of(device_id))
    look_at_devices()

    device = device_of(device_id)
    assert (device.condition, device.holds) == ("ready", "ext4")
    assert sandbox.attached() == {folder_of(device_id): device.path}


def test_a_dead_one_that_is_still_in_use_says_so_and_returns(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    subprocess.run(["mount", path, str(tmp_path)], check=True)
    kill_emulator(device_id)
    try:
        look_at_devices()
        assert device_of(device_id).condition == "lost"
        assert "in use" in (device_of(device_id).condition_reason or "")
        assert (device_of(device_id).condition_reason or "").endswith("It is tried again with each heartbeat.")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    look_at_devices()
    assert device_of(device_id).condition == "ready"


def test_a_removed_one_leaves_nothing_behind(make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    folder, path, pid = folder_of(device_id), device_of(device_id).path or "", emulator_of(device_id)
    attached = disk_sequence(path)
    remove_sandbox(device_id)
    assert (device_of(device_id).condition, folder.exists(), sandbox.attached()) == ("removed", False, {})
    assert disk_sequence(path) != attached
    assert not is_there(pid)


def test_one_whose_emulator_has_ended_is_removed_too(make_sandbox: MakeSandbox, remove_sandbox: RemoveSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    folder, path = folder_of(device_id), device_of(device_id).path or ""
    attached = disk_sequence(path)
    kill_emulator(device_id)
    remove_sandbox(device_id)
    assert (device_of(device_id).condition, folder.exists()) == ("removed", False)
    assert disk_sequence(path) != attached


def test_a_worker_that_ends_leaves_it_and_the_next_finds_it(make_sandbox: MakeSandbox, worker: WorkerProcess) -> None:
    device_id = make_sandbox(TIB, medium="file", emulation=ASKED)
    kill_emulator(device_id)  # so that the worker starts one
    worker.start()
    worker.wait_until_ready()
    path, pid = device_of(device_id).path, emulator_of(device_id)
    assert [line for line in _mounts_of(pid) if " /" in line and str(settings().state_dir / "mnt") in line] == []

    worker.end(signal.SIGKILL)
    assert is_there(pid)
    worker.start()
    worker.wait_until_ready()
    assert (device_of(device_id).path, emulator_of(device_id)) == (path, pid)


def _mounts_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/mountinfo").read_text().splitlines()


def test_cleaning_up_ends_emulators_and_keeps_folders_on_disk(make_sandbox: MakeSandbox) -> None:
    on_disk, in_memory = (make_sandbox(TIB, medium=medium, emulation=ASKED) for medium in ("file", "memory"))
    subprocess.run(["mkfs.ext4", "-q", device_of(on_disk).path or ""], check=True)
    pids, folders = [emulator_of(device_id) for device_id in (on_disk, in_memory)], [folder_of(on_disk)]
    _clean_up()
    assert sandbox.attached() == {}
    assert not any(map(is_there, pids))
    assert folders[0].is_dir()
    assert not settings().memory_dir.exists()
    look_at_devices()
    assert (device_of(on_disk).condition, device_of(on_disk).holds) == ("ready", "ext4")
    assert device_of(in_memory).condition == "lost"


def test_a_row_does_not_raise_the_quota_of_its_host(make_sandbox: MakeSandbox) -> None:
    quota = settings().sandbox_quota_bytes
    make_sandbox(TIB, medium="file", emulation=ASKED | {"available_bytes": quota // 2})
    asked = Asked.model_validate(
        {"size_bytes": TIB, "emulation": ASKED | {"available_bytes": quota, "model_label": None}}
    )
    with pytest.raises(SandboxFailed, match="PATINA_SANDBOX_QUOTA_BYTES"):
        sandbox.make(stable_id="sandbox-large", medium="file", size_bytes=TIB, emulation=asked.emulation)


def test_the_folder_of_another_account_is_not_served(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    kill_emulator(device_id)
    folder = folder_of(device_id)
    os.chown(folder, 65_534, 65_534)
    try:
        with pytest.raises(SandboxFailed, match="belongs to another account"):
            emulated.attach(folder)
    finally:
        os.chown(folder, 0, 0)


def test_a_fault_is_in_force_and_ended(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    done = inject(device_id, ReadOnly(kind="read_only"))
    assert (done.error, done.done_at is not None) == (None, True)
    assert Emulated.model_validate(device_of(device_id).emulated).faults == [{"type": "fault", "kind": "read_only"}]
    written = subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], capture_output=True, check=False)
    assert written.returncode != 0
    inject(device_id, NoFault(kind="none"))
    assert Emulated.model_validate(device_of(device_id).emulated).faults == []
    subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)


def test_a_fault_that_no_emulator_takes_is_shown_as_failed(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    kill_emulator(device_id)
    assert "does not run" in (inject(device_id, ReadOnly(kind="read_only")).error or "")


def test_a_fault_that_comes_too_late_is_not_sent(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    old = datetime.now(UTC) - timedelta(seconds=FAULT_PATIENCE_S + 1)
    asked = FaultRead(fault=ReadOnly(kind="read_only"), asked_at=old, done_at=None, error=None)
    with transaction() as session:
        session.get_one(Device, device_id).fault = asked.model_dump(mode="json")
    _tasks().inject_fault(device_id)
    assert "not sent" in (FaultRead.model_validate(device_of(device_id).fault).error or "")
    assert emulator.status(folder_of(device_id)).faults == []


def test_a_fault_is_sent_once_and_again_when_its_message_was_lost(make_sandbox: MakeSandbox, host_id: int) -> None:
    from patina_worker.jobs.reminder import PATIENCE_S, Reminder

    device_id = make_sandbox(TIB, emulation=ASKED)
    old = datetime.now(UTC) - timedelta(seconds=PATIENCE_S + 1)
    asked = FaultRead(fault=ReadOnly(kind="read_only"), asked_at=old, done_at=None, error=None)
    with transaction() as session:
        session.get_one(Device, device_id).fault = asked.model_dump(mode="json")
    with transaction() as session:
        assert Reminder().send(session=session, host=session.get_one(Host, host_id)) == 1
    _tasks().inject_fault(device_id)
    _tasks().inject_fault(device_id)
    assert len(emulator.status(folder_of(device_id)).faults) == 1
    with transaction() as session:
        assert Reminder().send(session=session, host=session.get_one(Host, host_id)) == 0


def test_after_a_power_cut_the_disk_returns_with_what_was_flushed(make_sandbox: MakeSandbox) -> None:
    device_id = make_sandbox(TIB, emulation=ASKED)
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)  # flushes at its end
    assert inject(device_id, PowerCut(kind="power_cut")).error is None
    assert subprocess.run(["dd", f"if={path}", "of=/dev/null", "bs=4096", "count=1", "iflag=direct"]).returncode != 0
    look_at_devices()
    device = device_of(device_id)
    assert (device.condition, device.holds) == ("ready", "ext4")
    assert emulator.status(folder_of(device_id)).faults == []
