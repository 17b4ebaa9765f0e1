"""The worker's refusals to write to a device, independent of its row: every reason, on real devices."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox, StartRun
from observe import device_of, look_at_devices, run_of
from patina.db import transaction
from patina.device.models import Device
from patina.job.state import JobState
from patina.settings import forget_settings
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.wait import wait_until

UNSHARED = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")


def _assert_refused(run_id: int, code: str, why: str) -> None:
    """Asserts that the run fails with `code`, and that no byte of its device has changed."""
    from patina_worker import tasks

    path = run_of(run_id).device.path or ""
    before = _content(path)
    tasks.work(run_id)
    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, code), run.message
    assert why in (run.message or "")
    assert_same_content(_content(path), before)
    assert device_of(run.device_id).active_lease is None


def _content(path: str) -> bytes:
    return Path(path).read_bytes()[: 4 * MIB] if Path(path).is_block_device() else b""


def _mark(path: str) -> None:
    """Writes content whose loss the test would detect."""
    with Path(path).open("r+b") as device:
        device.write(b"precious" * 1000)


@pytest.fixture
def loop_device(as_root: None, tmp_path: Path) -> Iterator[str]:
    """Yields a loop device that is not Patina's."""
    file = tmp_path / "foreign.img"
    with file.open("wb") as backing:
        backing.truncate(128 * MIB)
    done = subprocess.run(["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True)
    path = done.stdout.strip()
    yield path
    subprocess.run(["losetup", "--detach", path], check=True)


def _facts_of(path: str) -> dict[str, object]:
    from patina_worker.host import device_row

    facts = device_row.look_at(path).facts
    assert facts is not None
    return facts


def _change(device_id: int, **values: object) -> None:
    with transaction() as session:
        device = session.get_one(Device, device_id)
        for name, value in values.items():
            setattr(device, name, value)


@pytest.fixture
def attached_device(host_id: int, loop_device: str) -> int:
    """Returns the row of a ready attached device. Its node is a loop device's."""
    from patina_worker.host import probe

    block = probe.find_device(loop_device)
    assert block is not None
    with transaction() as session:
        device = Device(
            host_id=host_id,
            stable_id=block.stable_id,
            kind="attached",
            path=loop_device,
            size_bytes=block.size_bytes,
            is_rotational=False,
            condition="ready",
        )
        session.add(device)
        session.flush()
        return device.id


@pytest.fixture
def allow_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATINA_DEVICE_ALLOW", "path-virtual-*,nothing-else")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def test_a_mounted_device(make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    run_id = start_run(device_id)
    subprocess.run(["mount", "-o", "ro", path, str(tmp_path)], check=True)
    try:
        _assert_refused(run_id, "device_protected", f"mounted at {tmp_path}")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.parametrize("is_over_the_device", [False, True])
def test_a_sandbox_device_whose_file_is_behind_a_second_loop_device(
    make_sandbox: MakeSandbox, start_run: StartRun, is_over_the_device: bool
) -> None:
    """The second may be mounted, and no mount table names the first."""
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    device = device_of(device_id)
    path = device.path or ""
    over = path if is_over_the_device else sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)
    run_id = start_run(device_id)
    done = subprocess.run(["losetup", "--find", "--show", over], check=True, capture_output=True, text=True)
    second = done.stdout.strip()
    try:
        subprocess.run(["mkfs.ext4", "-q", second], check=True)
        _assert_refused(run_id, "device_protected", f"behind {second} as well")
        look_at_devices()
        assert (device_of(device_id).condition, device_of(device_id).path) == ("protected", path)
    finally:
        subprocess.run(["losetup", "--detach", second], check=True)


def test_a_device_that_a_program_has_open_for_writing(
    allow_all: None, attached_device: int, start_run: StartRun
) -> None:
    """A virtual machine's disk, a raw database: no mount table shows it, and the kernel allows a second open."""
    path = device_of(attached_device).path or ""
    run_id = start_run(attached_device)
    writer = subprocess.Popen(
        [sys.executable, "-c", f"f = open({path!r}, 'r+b'); print('open', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        _assert_refused(run_id, "device_protected", f"(process {writer.pid})")
    finally:
        writer.communicate("\n")


def test_a_disk_without_a_serial_number_that_was_replaced_by_one_of_its_size(
    allow_all: None, attached_device: int, start_run: StartRun, tmp_path: Path
) -> None:
    """Both are blank, at the same path, of the same size."""
    path = device_of(attached_device).path or ""
    _change(attached_device, facts=_facts_of(path))
    run_id = start_run(attached_device)
    subprocess.run(["losetup", "--detach", path], check=True)
    with (tmp_path / "other.img").open("wb") as other:
        other.truncate(128 * MIB)
    subprocess.run(["losetup", path, tmp_path / "other.img"], check=True)
    _assert_refused(run_id, "device_changed", "was detached since it was confirmed")


def test_a_device_that_holds_something_far_from_its_edges(
    allow_all: None, attached_device: int, start_run: StartRun
) -> None:
    path = device_of(attached_device).path or ""
    run_id = start_run(attached_device)
    with Path(path).open("r+b") as device:
        device.seek(60 * MIB)
        device.write(b"precious" * MIB)
    _assert_refused(run_id, "device_changed", "holds unrecognised content now")


def test_a_device_mounted_in_another_mount_namespace(
    make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path
) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    run_id = start_run(device_id)
    script = f"mount -o ro {path} {tmp_path} && echo mounted && read line"
    holder = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"mounted\n"
    try:
        _assert_refused(run_id, "device_protected", f"mounted at {tmp_path}")
    finally:
        holder.communicate(b"\n")


def test_swap(make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path) -> None:
    """Fakes the line of proc_swaps(5). The kernel would page out to a real swap, endlessly with its file on tmpfs."""
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    subprocess.run(["mkswap", "-q", path], check=True)
    run_id = start_run(device_id)
    swaps = tmp_path / "swaps"
    swaps.write_text(f"Filename\tType\tSize\tUsed\tPriority\n{path}\tpartition\t131068\t0\t-2\n", encoding="ascii")
    subprocess.run(["mount", "--bind", str(swaps), "/proc/swaps"], check=True)
    try:
        _assert_refused(run_id, "device_protected", "swap")
    finally:
        subprocess.run(["umount", "/proc/swaps"], check=True)


def test_a_read_only_device(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    run_id = start_run(device_id)
    subprocess.run(["blockdev", "--setro", path], check=True)
    try:
        _assert_refused(run_id, "device_protected", "read-only")
    finally:
        subprocess.run(["blockdev", "--setrw", path], check=True)


def test_a_device_that_another_process_holds_exclusively(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker.host import device_node

    device_id = make_sandbox()
    with device_node.opened_alone(device_of(device_id).path or ""):
        _assert_refused(start_run(device_id), "device_busy", "in use")


def test_a_device_that_another_process_has_locked(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker.host import device_node

    device_id = make_sandbox()
    with device_node.held(device_of(device_id).path or ""):
        _assert_refused(start_run(device_id), "device_busy", "locked")


def test_another_file_behind_the_sandbox_devices_path(
    make_sandbox: MakeSandbox, start_run: StartRun, loop_device: str
) -> None:
    device_id = make_sandbox()
    run_id = start_run(device_id)
    _mark(loop_device)
    _change(device_id, path=loop_device)

    _assert_refused(run_id, "device_changed", "foreign.img")


def test_another_file_under_the_sandbox_files_name(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    run_id = start_run(device_id)
    device = device_of(device_id)
    file = sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)
    _mark(device.path or "")
    file.rename(file.with_name("kept.img"))
    with file.open("wb") as other:
        other.truncate(128 * MIB)

    _assert_refused(run_id, "device_changed", "not sandbox device")


def test_a_sandbox_device_of_another_size(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker.host import sandbox

    device_id = make_sandbox()
    run_id = start_run(device_id)
    device = device_of(device_id)
    with sandbox.backing_file(stable_id=device.stable_id, medium=device.medium).open("r+b") as file:
        file.truncate(256 * MIB)
    subprocess.run(["losetup", "--set-capacity", device.path or ""], check=True)

    _assert_refused(run_id, "device_changed", "256 MiB (268,435,456 bytes) now")


def test_a_path_without_a_device(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox()
    run_id = start_run(device_id)
    _change(device_id, path="/dev/patina-no-such-node")
    _assert_refused(run_id, "device_missing", "/dev/patina-no-such-node")


def test_an_attached_device_that_the_host_does_not_allow(attached_device: int, start_run: StartRun) -> None:
    _mark(device_of(attached_device).path or "")
    _assert_refused(start_run(attached_device), "device_protected", "allow-list")


def test_an_attached_device_that_is_not_the_confirmed_one(
    allow_all: None, attached_device: int, start_run: StartRun
) -> None:
    _mark(device_of(attached_device).path or "")
    _change(attached_device, stable_id="wwn-0x5000c500a1b2c3d4")
    _assert_refused(start_run(attached_device), "device_changed", "wwn-0x5000c500a1b2c3d4")


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_device_that_holds_unconfirmed_content(
    in_memory: bool, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """The device was blank when it was confirmed, and written to while the run waited for its worker."""
    device_id = make_sandbox()
    run_id = start_run(device_id, in_memory=in_memory)
    _mark(device_of(device_id).path or "")
    _assert_refused(run_id, "device_changed", "holds unrecognised content now; confirmed was that it is blank")


def test_a_device_that_was_formatted_while_its_run_aged_in_memory(
    make_sandbox: MakeSandbox, start_run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    from patina_worker import tasks
    from patina_worker.handlers.aging import age

    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    capture = age._capture

    def _capture_after_a_write(*args: object, **named: object) -> object:
        _mark(path)
        return capture(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(age, "_capture", _capture_after_a_write)
    run_id = start_run(device_id, in_memory=True)
    tasks.work(run_id)
    assert (run_of(run_id).state, run_of(run_id).error_code) == (JobState.FAILED, "device_changed")
    assert Path(path).read_bytes()[:8] == b"precious"


def test_an_allowed_attached_device_is_aged(allow_all: None, attached_device: int, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(attached_device)
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message


def test_the_system_disk_even_where_the_host_allows_it(monkeypatch: pytest.MonkeyPatch, host_id: int) -> None:
    """Calls only the check: no test gives a run the system disk."""
    from patina.run.service import DeviceProtected
    from patina_worker.host import device_users, probe, write_check

    seen = device_users.look()
    blocks = [each for each in probe.list_attached() if probe.why_in_use(each, seen) == "the system disk, mounted at /"]
    if not blocks:
        pytest.skip("the root file system is not on a disk that this test can see")
    monkeypatch.setattr(write_check, "is_allowed", lambda _: True)
    target = write_check.Target(
        path=blocks[0].path,
        kind="attached",
        medium=None,
        stable_id=blocks[0].stable_id,
        size_bytes=blocks[0].size_bytes,
        holds=None,
        serial=blocks[0].serial,
        model=None,
    )
    with pytest.raises(DeviceProtected, match="system disk"):
        write_check.check_may_write(target)


@pytest.mark.parametrize("kind", ["a link to a device", "a pipe"])
def test_a_path_of_a_row_that_is_not_the_node_of_a_disk(
    make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path, kind: str
) -> None:
    """A link could lead to another disk after the last check; to open a pipe blocks."""
    device_id = make_sandbox()
    run_id = start_run(device_id)
    path = tmp_path / "node"
    if kind == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(device_of(device_id).path or "")
    _change(device_id, path=str(path))
    _assert_refused(run_id, "device_missing", f"{path} is no disk of this host")


def test_a_part_of_a_disk(loop_device: str, tmp_path: Path) -> None:
    """Another part of the disk may be in use, and this one looks free."""
    from patina_worker.host import device_node, probe

    subprocess.run(["losetup", "--detach", loop_device], check=True)
    subprocess.run(["losetup", "--partscan", loop_device, tmp_path / "foreign.img"], check=True)
    part = f"{loop_device}p1"
    subprocess.run(["addpart", loop_device, "1", "2048", "65536"], check=True)
    try:
        wait_until("the part has its node", Path(part).is_block_device)
        assert device_node.is_whole_disk(loop_device)
        assert not device_node.is_whole_disk(part)
        assert probe.find_device(part) is None
    finally:
        subprocess.run(["delpart", loop_device, "1"], check=True)


@pytest.mark.parametrize(
    "path", ["", "/dev", "/dev/null", "/dev/../dev/loop0", "/dev/" + "x" * 5000, "/dev/a\0b", "--help"]
)
def test_a_text_that_names_no_disk(path: str) -> None:
    from patina_worker.host import device_node

    assert not device_node.is_whole_disk(path)


def test_a_mount_whose_name_no_line_should_hold(tmp_path: Path) -> None:
    """The kernel escapes only spaces and newlines."""
    from patina_worker.host import mounts

    folder = tmp_path / "a\x0cb\x1cc\u2028d e"
    folder.mkdir()
    holder = subprocess.Popen(
        [*UNSHARED, 'mount -t tmpfs "a\\\\b" "$0" && echo && read l', folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"\n"
    try:
        [found] = [mount for mount in mounts.all_mounts() if mount.target == str(folder)]
        assert found.kind == "tmpfs"
    finally:
        holder.communicate(b"\n")


def test_what_a_user_mounts_elsewhere_does_not_make_a_disk_look_mounted(loop_device: str, tmp_path: Path) -> None:
    """The source of a mount is arbitrary text, unless the file system is on a disk."""
    from patina_worker.host import device_users, probe

    script = "mount -t tmpfs $0 $1 && mount -t tmpfs $2 $1 && echo mounted && read line"
    holder = subprocess.Popen(
        [*UNSHARED, script, loop_device, tmp_path, "/dev/" + "x" * 300],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"mounted\n"
    try:
        block = probe.find_device(loop_device)
        assert block is not None
        assert probe.why_in_use(block, device_users.look()) is None
    finally:
        holder.communicate(b"\n")


def test_a_device_that_was_written_to_after_the_work_that_a_run_waited_for(
    make_sandbox: MakeSandbox, start_run: StartRun, host_id: int
) -> None:
    """The run was confirmed to destroy the content that the preceding job leaves, not later content of its type."""
    from patina_worker import tasks

    device_id = make_sandbox()
    first = start_run(device_id)
    second, third, fourth = (start_run(device_id, waits=True) for _ in range(3))
    tasks.work(first)
    _start_waiting(host_id)
    tasks.work(second)
    assert run_of(second).state == JobState.SUCCEEDED, run_of(second).message
    subprocess.run(["mkfs.ext4", "-q", "-F", device_of(device_id).path or ""], check=True)
    for waiting in (third, fourth):  # the next run was not confirmed to destroy that content either
        _start_waiting(host_id)
        _assert_refused(waiting, "device_changed", "since it was confirmed")


def test_a_device_that_holds_another_content_of_the_same_type(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox()
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    look_at_devices()
    run_id = start_run(device_id)
    subprocess.run(["mkfs.ext4", "-q", "-F", path], check=True)
    _assert_refused(run_id, "device_changed", "since it was confirmed")


def _start_waiting(host_id: int) -> None:
    from patina.job import waiting

    with transaction() as session:
        assert waiting.start_waiting(session=session, host_id=host_id)


def test_a_run_ends_also_where_its_device_cannot_be_looked_at(
    make_sandbox: MakeSandbox, start_run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    from patina_worker import tasks
    from patina_worker.host import device_row

    def _fail(_: str) -> None:
        raise ValueError("no table of mounts")

    device_id = make_sandbox()
    run_id = start_run(device_id)
    monkeypatch.setattr(device_row, "look_at", _fail)  # the next examination fails, this one does not
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    device = device_of(device_id)
    assert (device.condition, device.active_lease) == ("protected", None)
    assert "no table of mounts" in (device.condition_reason or "")


def test_a_generation_that_the_core_does_not_tell_is_not_known(
    make_sandbox: MakeSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from patina.core.failure import CoreDied
    from patina_worker.host import generation

    def _fail(*_: object, **__: object) -> None:
        raise CoreDied("It was killed.")

    path = device_of(make_sandbox()).path or ""
    assert generation.generation_of(path)
    monkeypatch.setattr(generation, "run_core", _fail)
    assert generation.generation_of(path) == ""
