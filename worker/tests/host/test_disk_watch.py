"""Watching disks, without waking one that sleeps or waiting for one that hangs."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixture_types import MIB
from patina_dev.testing.wait import HANG_S, wait_until
from patina_worker.host import disk_watch, probe
from patina_worker.host.disk_watch import Watch
from patina_worker.tools import run

# Ends the thread of a watch that a test has started: see _end_thread.
pytestmark = [
    pytest.mark.usefixtures("services"),  # the settings
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
]


@pytest.fixture
def disk(as_root: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yields a loop device that appears as the host's only attached disk."""
    file = tmp_path / "disk.img"
    with file.open("wb") as backing:
        backing.truncate(64 * MIB)
    done = subprocess.run(["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True)
    path = done.stdout.strip()

    def _only_this() -> list[probe.BlockDevice]:
        found = probe.find_device(path)
        return [] if found is None else [found]

    monkeypatch.setattr(probe, "list_attached", _only_this)
    yield path
    monkeypatch.setattr(disk_watch, "PERIOD_S", 0.0)
    monkeypatch.setattr(probe, "list_attached", _end_thread)
    wait_until("nothing looks at disks any more", lambda: "watch" not in [each.name for each in threading.enumerate()])
    subprocess.run(["losetup", "--detach", path], check=True)


def _end_thread() -> list[probe.BlockDevice]:
    """Ends the thread of a watch, which otherwise lasts as long as the process."""
    raise SystemExit


def _reads_count(path: str) -> int:
    return int(Path(f"/sys/block/{Path(path).name}/stat").read_text(encoding="utf-8").split()[0])


def test_a_disk_is_read_again_only_after_it_was_written_to(disk: str) -> None:
    looking = Watch()
    assert [seen.holds for seen in looking.look()] == [None]
    subprocess.run(["blockdev", "--flushbufs", disk], check=True)  # else the cache would serve a second read
    before = _reads_count(disk)
    assert [seen.holds for seen in looking.look()] == [None]
    assert _reads_count(disk) == before

    subprocess.run(["mkfs.ext4", "-q", disk], check=True)
    [seen] = looking.look()
    assert (seen.holds, seen.why_in_use) == ("ext4", None)


def test_what_uses_a_disk_is_seen_whether_or_not_it_was_written_to(disk: str) -> None:
    looking = Watch()
    looking.look()
    with Path(disk).open("rb"):
        subprocess.run(["blockdev", "--setro", disk], check=True)
        [seen] = looking.look()
        assert seen.why_in_use == "read-only"
        subprocess.run(["blockdev", "--setrw", disk], check=True)


def test_a_disk_is_free_at_the_first_look_after_its_writer_has_ended(disk: str) -> None:
    """Otherwise a run that waits for the device would find it protected."""
    looking = Watch()
    script = f"f = open({disk!r}, 'r+b'); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        [seen] = looking.look()
        assert seen.why_in_use is not None
        assert f"(process {writer.pid})" in seen.why_in_use
        writer.communicate("\n")
    [seen] = looking.look()
    assert seen.why_in_use is None


def test_a_disk_that_does_not_answer_blocks_no_caller(disk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake stands for a read that never returns."""
    monkeypatch.setattr(disk_watch, "PERIOD_S", 0.05)
    looking = Watch()
    looking.look()
    answers = threading.Event()
    is_asked = threading.Event()

    def _hang(_block: probe.BlockDevice) -> dict[str, str | None]:
        is_asked.set()
        answers.wait(HANG_S)
        return {disk: "late"}

    monkeypatch.setattr(probe, "contents_of", _hang)
    subprocess.run(["dd", "if=/dev/urandom", f"of={disk}", "bs=4k", "count=1", "oflag=direct"], check=True)
    looking.start()
    wait_until("the disk is asked", is_asked.is_set)
    assert [seen.holds for seen in looking.latest()] == [None]
    assert not answers.is_set()  # it has not answered yet, and the latest result was available all the same

    answers.set()
    wait_until("the late answer is there", lambda: [seen.holds for seen in looking.latest()] == ["late"])


@pytest.mark.parametrize("error", [OSError("gone in between"), KeyError("a column that no lsblk has")])
def test_a_look_that_fails_is_not_the_last(disk: str, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(disk_watch, "PERIOD_S", 0.05)
    list_attached, is_asked = probe.list_attached, threading.Event()

    def _fail_once() -> list[probe.BlockDevice]:
        monkeypatch.setattr(probe, "list_attached", list_attached)
        is_asked.set()
        raise error

    looking = Watch()
    first = looking.look()
    monkeypatch.setattr(probe, "list_attached", _fail_once)
    looking.start()
    wait_until("it is asked", is_asked.is_set)
    wait_until("it looks again", lambda: looking.latest() is not first)
    assert [seen.block.path for seen in looking.latest()] == [disk]


def test_a_tool_that_even_a_kill_does_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its grandchild, in a session of its own, keeps the pipes open like a process in an endless read."""
    pid_file = tmp_path / "pid"
    monkeypatch.setattr(run, "KILL_PATIENCE_S", 0.2)
    grandchild = f"setsid sh -c 'echo $$ > {pid_file}.part; mv {pid_file}.part {pid_file}; exec sleep infinity' &"
    popen = subprocess.Popen

    def _start_and_see_the_grandchild(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        process: subprocess.Popen[str] = popen(*arguments, **options)
        wait_until("the grandchild runs", pid_file.exists)
        return process

    monkeypatch.setattr(subprocess, "Popen", _start_and_see_the_grandchild)
    try:
        done = run.run_tool(["sh", "-c", f"{grandchild} exec sleep infinity"], timeout_s=0.2)
    finally:
        os.kill(int(pid_file.read_text(encoding="utf-8")), signal.SIGKILL)
    assert done.returncode == run.TIMED_OUT
    assert "nor 0.2 s after it was killed" in done.stderr
