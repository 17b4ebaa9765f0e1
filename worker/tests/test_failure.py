"""Failures of each step: the run reports step and reason; the device ends unmounted, unlocked and without a lease.

The tasks run in this process, on real devices; programs are replaced only through the PATH.
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from core_script import ScriptedCore, error_line, golden
from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, payloads_of, run_of
from patina.job.state import JobState
from patina.run.models import Run
from patina.settings import settings
from patina_dev.testing.wait import wait_until


def _age(run_id: int) -> Run:
    from patina_worker import tasks

    tasks.work(run_id)
    return run_of(run_id)


def _assert_failed(run: Run, code: str) -> None:
    assert (run.state, run.error_code) == (JobState.FAILED, code), run.error_log
    assert run.message
    last = payloads_of(run.id)[-1]
    assert (last["type"], last["state"], last["message"]) == ("state", "failed", run.message)
    assert list(settings().index_dir.glob(f"run-{run.id}-*")) == []
    assert_device_is_free(run.device_id)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a folder first on the PATH, for programs that fail on purpose."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def _write_program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


HELLO = golden("age")[0]


def test_mkfs_failing(stand_in: Path, make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    _write_program(stand_in / "mkfs.ext4", "echo 'no inodes today' >&2; exit 1")

    run = _age(start_run(make_sandbox()))

    _assert_failed(run, "mkfs_failed")
    assert "no inodes today" in (run.error_log or "")


def test_mount_failing(stand_in: Path, make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    _write_program(stand_in / "mount", "echo 'wrong fs type' >&2; exit 32")

    run = _age(start_run(make_sandbox()))

    _assert_failed(run, "mount_failed")
    assert "wrong fs type" in (run.error_log or "")


def test_a_process_staying_in_the_mount(
    scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """The core leaves a process in the mount, as a user's shell would be."""
    from patina_worker.handlers.aging.age import mount_folder
    from patina_worker.host import file_system

    monkeypatch.setattr(file_system, "UNMOUNT_TRIES", 2)
    device_id = make_sandbox()
    run_id = start_run(device_id)
    script = scripted_core.script("age")
    pid_file = script.leave_process(member="mount")
    script.exit(3)

    run = _age(run_id)

    try:
        assert run.error_code == "unmount_failed"
        device = device_of(device_id)
        assert device.condition == "protected"
        assert device.condition_reason == f"mounted at {mount_folder(run_id)}"
        assert device.active_lease is None
    finally:
        left = int(pid_file.read_text(encoding="utf-8"))
        os.kill(left, signal.SIGKILL)
        wait_until("the process is gone", lambda: not Path(f"/proc/{left}/cwd").exists())
        file_system.unmount(mount_folder(run_id))


def test_an_aged_file_system_that_is_damaged(stand_in: Path, make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    _write_program(stand_in / "e2fsck", "echo 'Free blocks count wrong'; exit 4")

    run = _age(start_run(make_sandbox()))

    _assert_failed(run, "fsck_failed")
    assert "Free blocks count wrong" in (run.error_log or "")


def test_a_full_disk_while_capturing(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    store = settings().store_dir
    store.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(store)], check=True)
    try:
        run = _age(start_run(make_sandbox(), data_mode="write"))
        _assert_failed(run, "store_no_space")
    finally:
        subprocess.run(["umount", str(store)], check=True)


def test_a_core_that_says_what_the_contract_does_not_know_is_killed_in_its_mount(
    scripted_core: ScriptedCore, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """Checks the run and the device. test_core.py has every way in which a core ends badly."""
    run_id = start_run(make_sandbox())
    scripted_core.script("age").ignore_stops().say(HELLO).mutter("lost my mind").say('{"type":"poem"}').hang()

    run = _age(run_id)

    _assert_failed(run, "core_protocol")
    assert "lost my mind" in (run.error_log or "")


def test_an_error_of_the_core_keeps_its_code(
    scripted_core: ScriptedCore, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox())
    error = error_line("io_error", "Writing f12 gave EIO. Look at the kernel log.")
    scripted_core.script("age").say(HELLO, error).exit(14)

    run = _age(run_id)

    _assert_failed(run, "io_error")
    assert "f12" in (run.message or "")


def test_a_bug_of_the_worker_is_a_failed_run_too(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker.handlers.aging import age

    def _broken(**_: object) -> None:
        raise ZeroDivisionError("one over nothing")

    monkeypatch.setattr(age, "capture", _broken)

    run = _age(start_run(make_sandbox()))

    _assert_failed(run, "internal")
    assert "ZeroDivisionError" in (run.error_log or "")


def test_a_failed_run_leaves_a_device_that_can_be_aged_again(
    stand_in: Path, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(64 * MIB, medium="file")
    _write_program(stand_in / "e2fsck", "exit 4")
    assert _age(start_run(device_id)).state == JobState.FAILED
    (stand_in / "e2fsck").unlink()

    run = _age(start_run(device_id))

    assert run.state == JobState.SUCCEEDED
    assert device_of(device_id).holds == "ext4"
