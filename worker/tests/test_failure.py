"""Every way a step fails: the run says which and why, the device ends unmounted, unlocked and unleased.

The tasks run in this process, on real devices; a program is replaced only where it stands on the PATH.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, payloads_of, run_of
from patina.run.models import Run
from patina.run.state import RunState
from patina.settings import settings


def _age(run_id: int) -> Run:
    from patina_worker import tasks

    tasks.age_run(run_id)
    return run_of(run_id)


def _assert_failed(run: Run, code: str) -> None:
    assert (run.state, run.error_code) == (RunState.FAILED, code), run.error_log
    assert run.error_message
    last = payloads_of(run.id)[-1]
    assert (last["type"], last["state"], last["message"]) == ("state", "failed", run.error_message)
    assert list(settings().index_dir.glob(f"run-{run.id}-*")) == []
    assert_device_is_free(run.device_id)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on the PATH, for programs that fail on purpose."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def _write_program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def core_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host_id: int) -> Iterator[Callable[[str], Path]]:
    """Puts a script in the place of patina-core's `age`; the other commands stay the real core's."""
    real, script = settings().core, tmp_path / "patina-core"

    def _write(age_body: str) -> Path:
        _write_program(script, f'if [ "$1" != age ]; then exec {real} "$@"; fi\n{age_body}')
        return script

    monkeypatch.setenv("PATINA_CORE", str(script))
    settings.cache_clear()
    _write("exit 99")
    yield _write
    monkeypatch.undo()
    settings.cache_clear()


HELLO = '{"type":"hello","schema_version":1,"program":"patina-core","program_version":"0","command":"age"}'


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


def test_somebody_staying_in_the_mount(
    core_script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import file_system
    from patina_worker.age import mount_folder

    monkeypatch.setattr(file_system, "UNMOUNT_TRIES", 2)
    device_id = make_sandbox()
    run_id = start_run(device_id)
    # Leaves a process behind that sits in the mount, as a user's shell would.
    core_script('setsid sh -c "cd $3 && exec sleep 60" >/dev/null 2>&1 & sleep 0.5; echo $! >&2; exit 3')

    run = _age(run_id)

    try:
        assert run.error_code == "unmount_failed"
        device = device_of(device_id)
        assert device.condition == "protected"
        assert device.condition_reason == f"mounted at {mount_folder(run_id)}"
        assert device.active_lease is None
    finally:
        subprocess.run(["fuser", "--kill", "--mount", str(mount_folder(run_id))], check=False, capture_output=True)
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


def test_a_core_that_says_what_the_contract_does_not_know(
    core_script: Callable[[str], Path], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox())
    core_script(f"echo '{HELLO}'; echo 'lost my mind' >&2; echo '{{\"type\":\"poem\"}}'; sleep 60")

    run = _age(run_id)

    _assert_failed(run, "core_protocol")
    assert "lost my mind" in (run.error_log or "")


def test_a_core_that_falls_silent(
    core_script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import native

    monkeypatch.setattr(native, "SILENCE_S", 1.0)
    run_id = start_run(make_sandbox())
    core_script("sleep 60")

    _assert_failed(_age(run_id), "core_stalled")


def test_a_core_that_ends_without_a_summary(
    core_script: Callable[[str], Path], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox())
    core_script(f"echo '{HELLO}'")

    _assert_failed(_age(run_id), "core_died")


def test_an_error_of_the_core_keeps_its_code(
    core_script: Callable[[str], Path], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox())
    error = '{"type":"error","code":"io_error","message":"Writing f12 gave EIO. Look at the kernel log."}'
    core_script(f"echo '{HELLO}'; echo '{error}'; exit 14")

    run = _age(run_id)

    _assert_failed(run, "io_error")
    assert "f12" in (run.error_message or "")


def test_a_core_that_is_not_there(
    core_script: Callable[[str], Path], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox()
    run_id = start_run(device_id)
    core_script("").unlink()

    run = _age(run_id)

    _assert_failed(run, "core_died")
    assert "make native" in (run.error_message or "")


def test_a_bug_of_the_worker_is_a_failed_run_too(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import age

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
    assert _age(start_run(device_id)).state == RunState.FAILED
    (stand_in / "e2fsck").unlink()

    run = _age(start_run(device_id))

    assert run.state == RunState.SUCCEEDED
    assert device_of(device_id).holds == "ext4"
