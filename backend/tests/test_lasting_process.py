"""Lasting processes: each request gets its own answer, or none, and no process is left behind."""

import os
import signal
from pathlib import Path

import pytest

from patina import lasting_process
from patina.lasting_process import LastingProcess, ProcessEnded, ProcessSilent
from patina_dev.testing.wait import HANG_S

ECHO = 'echo ready; while read line; do echo "$line"; done'


def _started(script: str) -> LastingProcess:
    return LastingProcess(["sh", "-c", script], patience_s=HANG_S)


def _is_gone(process: LastingProcess) -> bool:
    return not Path(f"/proc/{process.pid}").exists()


def test_each_question_has_its_answer_until_the_process_is_closed() -> None:
    process = _started(ECHO)
    assert [process.ask(line, patience_s=HANG_S) for line in (b"one", b"two", b"x" * 200_000)] == [
        b"one",
        b"two",
        b"x" * 200_000,
    ]
    process.close()
    process.close()
    assert _is_gone(process)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo ready; read line; printf 'one\\ntwo\\n'; exec sleep 60", "more than one line"),
        ("echo ready; read line; exit 3", "ended with 3"),
        ("echo ready; read line; while :; do printf 01234567; done", "in one line"),
    ],
)
def test_a_process_without_one_answer_is_ended(script: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting_process, "LINE_LIMIT_BYTES", 1 << 20)
    process = _started(script)
    with pytest.raises(ProcessEnded, match=words):
        process.ask(b"question", patience_s=HANG_S)
    assert _is_gone(process)


def test_a_process_that_says_nothing_is_ended() -> None:
    process = _started("echo ready; exec sleep 60")
    with pytest.raises(ProcessSilent, match=r"did not answer within 0.2 s"):
        process.ask(b"question", patience_s=0.2)
    assert _is_gone(process)


def test_a_process_that_was_killed_cannot_be_asked() -> None:
    process = _started(ECHO)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ProcessEnded):
        process.ask(b"question", patience_s=HANG_S)
    assert _is_gone(process)


def test_a_program_that_is_not_there_cannot_be_run() -> None:
    with pytest.raises(ProcessEnded, match="No such file or directory"):
        LastingProcess(["/nonexistent"], patience_s=HANG_S)
