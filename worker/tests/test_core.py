"""The worker's control of patina-core: records, control lines, and each way in which the core ends or fails.

The core is a scripted one: no device, no root.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from core_script import ScriptedCore, control_line, error_line, golden
from patina.core import supervised as native
from patina.core.contract.age import AGE, AgeRecord
from patina.core.failure import CoreDied, CoreFailed, CoreKilled, CoreProtocol, CoreStalled, Stopped
from patina.core.supervised import run_core
from patina.device.lease import LeaseLost
from patina_dev.testing.wait import wait_until

HELLO, PLAN, *_REST = golden("age")
SAMPLE = next(line for line in _REST if '"sample"' in line)
SUMMARY = _REST[-1]


class Director:
    """Runs `age` in a thread, as a task of the worker does, and keeps the records."""

    def __init__(self) -> None:
        self.records: list[AgeRecord] = []
        self.is_stop_requested = False
        self._executor = ThreadPoolExecutor(1)

    def check(self) -> bool:
        return self.is_stop_requested

    def run(self, check: Callable[[], bool] | None = None, steer: native.Steer | None = None) -> None:
        """Runs it to its end in this thread."""
        run_core(
            AGE,
            ["--mount", "/nowhere"],
            on_record=self.records.append,
            check=check or self.check,
            steer=steer,
        )

    def start(self, check: Callable[[], bool] | None = None, steer: native.Steer | None = None) -> Future[None]:
        return self._executor.submit(self.run, check, steer)

    def types(self) -> list[str]:
        return [record.type for record in self.records]

    def close(self) -> None:
        self.is_stop_requested = True
        self._executor.shutdown()


class Wheel:
    """Steers the core: sends each line once."""

    def __init__(self, *lines: str) -> None:
        self.is_paused = False
        self.untold = list(lines)

    def lines(self) -> Sequence[str]:
        told, self.untold = self.untold, []
        return told


@pytest.fixture
def director() -> Iterator[Director]:
    made = Director()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polls more often than in service; no result depends on it."""
    monkeypatch.setattr(native, "TICK_S", 0.02)


def _is_gone(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_records_come_while_the_core_goes_on(scripted_core: ScriptedCore, director: Director) -> None:
    script = scripted_core.script("age").say(HELLO, PLAN)
    halt = script.halt()
    script.say(SAMPLE, SUMMARY)

    run = director.start()
    with halt.held(run.done):
        wait_until("two records have come", lambda: len(director.records) == 2)
        assert not run.done()
    run.result()

    assert director.types() == ["hello", "plan", "sample", "summary"]


def test_a_record_may_come_in_pieces(scripted_core: ScriptedCore, director: Director) -> None:
    script = scripted_core.script("age").say(HELLO).say_unended(PLAN[:100])
    halt = script.halt()
    script.say(PLAN[100:], SUMMARY)

    run = director.start()
    with halt.held(run.done):
        wait_until("the first record has come", lambda: director.types() == ["hello"])
    run.result()

    assert director.types() == ["hello", "plan", "summary"]


def test_what_the_core_is_told_reaches_it_line_by_line(scripted_core: ScriptedCore, director: Director) -> None:
    script = scripted_core.script("age").say(HELLO, PLAN)
    for line in ("pause", "resume", "max-rmse 0.25"):
        script.hear(line).say(control_line(line))
    script.say(SUMMARY)

    director.run(steer=Wheel("pause", "resume", "max-rmse 0.25"))

    assert director.types() == ["hello", "plan", "control", "control", "control", "summary"]


def test_a_core_that_no_longer_listens_is_no_failure(scripted_core: ScriptedCore, director: Director) -> None:
    wheel = Wheel()
    script = scripted_core.script("age").close_input().say(HELLO)
    halt = script.halt()
    script.say(SUMMARY)

    run = director.start(steer=wheel)
    with halt.held(run.done):
        wheel.untold = ["pause"]
        wait_until("it was told", lambda: not wheel.untold)
    run.result()


def test_the_error_of_a_core_keeps_its_code_and_its_words(scripted_core: ScriptedCore, director: Director) -> None:
    error = error_line("io_error", "Writing f12 gave EIO.")
    scripted_core.script("age").say(HELLO).mutter("errno 5").say(error).exit(14)

    with pytest.raises(CoreFailed, match="Writing f12 gave EIO") as raised:
        director.run()

    assert raised.value.code == "io_error"
    assert raised.value.log == "errno 5\n"


@pytest.mark.parametrize(
    "line", ["not JSON", '{"type":"poem"}', '{"type":"hello"}', "[]", "", "\udcff\udcfe", SAMPLE[:-2]]
)
def test_a_line_that_the_contract_does_not_know_ends_a_core(
    scripted_core: ScriptedCore, director: Director, line: str
) -> None:
    scripted_core.script("age").say(HELLO).mutter("lost my mind").say(line).hang()

    with pytest.raises(CoreProtocol, match="patina-core age wrote") as raised:
        director.run()

    assert raised.value.log == "lost my mind\n"
    assert director.types() == ["hello"]


def test_a_line_without_an_end_is_not_kept_for_ever(
    scripted_core: ScriptedCore, director: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "LINE_LIMIT_BYTES", 100_000)
    scripted_core.script("age").say(HELLO).say_unended("x" * 300_000).hang()

    with pytest.raises(CoreProtocol, match="a line of more than 100000 bytes"):
        director.run()


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([HELLO], 0),
        ([HELLO, PLAN], 1),
        ([HELLO, SUMMARY], 3),
        ([HELLO, SUMMARY, SAMPLE], 0),
        ([], 0),
    ],
    ids=["only-hello", "failed", "summary-and-failed", "more-after-the-summary", "nothing"],
)
def test_a_core_that_ends_without_a_last_word_has_died(
    scripted_core: ScriptedCore, director: Director, lines: list[str], status: int
) -> None:
    scripted_core.script("age").say(*lines).mutter("no space for a summary").exit(status)

    with pytest.raises(CoreDied, match=f"ended with {status} and without a summary") as raised:
        director.run()

    assert raised.value.log == "no space for a summary\n"
    assert len(director.records) == len(lines)


def test_a_summary_that_is_cut_off_is_none(scripted_core: ScriptedCore, director: Director) -> None:
    scripted_core.script("age").say(HELLO).say_unended(SUMMARY)

    with pytest.raises(CoreDied, match="without a summary"):
        director.run()


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGTERM"])
def test_a_signal_that_ends_a_core_is_named(scripted_core: ScriptedCore, director: Director, name: str) -> None:
    scripted_core.script("age").say(HELLO).die(name)

    with pytest.raises(CoreDied, match=f"was killed by {name}") as raised:
        director.run()

    assert not isinstance(raised.value, CoreKilled)


def test_a_core_that_is_killed_is_told_from_one_that_crashed(scripted_core: ScriptedCore, director: Director) -> None:
    scripted_core.script("age").say(HELLO).die("SIGKILL")

    with pytest.raises(CoreKilled, match="killed from outside by SIGKILL"):
        director.run()


def test_a_core_that_is_not_there_is_said_to_be(scripted_core: ScriptedCore, director: Director) -> None:
    scripted_core.path.unlink()

    with pytest.raises(CoreDied, match="make native"):
        director.run()


def test_a_core_that_falls_silent_is_ended(
    scripted_core: ScriptedCore, director: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "SILENCE_S", 0.1)
    left = scripted_core.script("age").ignore_stops().mutter("waiting for a disk")
    pid_file = left.leave_in_group()
    left.hang()

    with pytest.raises(CoreStalled, match=r"has written nothing for 0.1 s"):
        director.run()

    # On a slow machine the silence may precede the script's start: then there is no process to check.
    if pid_file.exists() and (pid := pid_file.read_text(encoding="utf-8")):
        wait_until("no process of its group is left", lambda: _is_gone(int(pid)))


def test_the_silence_of_a_paused_core_is_none(
    scripted_core: ScriptedCore, director: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "SILENCE_S", 0.05)
    wheel = Wheel()
    wheel.is_paused = True
    script = scripted_core.script("age")
    halt = script.halt()
    script.say(HELLO, SUMMARY)
    looks: list[None] = []

    def _check() -> bool:
        looks.append(None)
        return False

    run = director.start(_check, wheel)
    with halt.held(run.done):
        seen = len(looks)  # each check follows a tick of silence: as many as exceed the limit
        wait_until("it was silent for longer", lambda: len(looks) > seen + 5)
        assert not run.done()
    run.result()


def test_a_core_that_closes_its_output_and_stays_is_ended(
    scripted_core: ScriptedCore, director: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "STOP_GRACE_S", 0.1)
    scripted_core.script("age").ignore_stops().say(HELLO, SUMMARY).close_output().hang()

    with pytest.raises(CoreStalled, match="has closed its output but does not end"):
        director.run()


def test_a_core_that_is_told_to_stop_says_what_it_came_to(scripted_core: ScriptedCore, director: Director) -> None:
    script = scripted_core.script("age").when_told_to_stop(error_line("canceled", "told to stop"), status=30)
    script.say(HELLO).hang()

    run = director.start()
    wait_until("it has begun", lambda: director.records)
    director.is_stop_requested = True

    with pytest.raises(Stopped, match="told to stop"):
        run.result()


def test_a_core_that_is_told_to_stop_before_it_catches_signals_has_stopped(
    scripted_core: ScriptedCore, director: Director
) -> None:
    scripted_core.script("age").say(HELLO).hang()

    run = director.start()
    wait_until("it has begun", lambda: director.records)
    director.is_stop_requested = True

    with pytest.raises(Stopped, match="before it had begun"):
        run.result()


def test_a_core_that_is_stopped_by_others_has_failed(scripted_core: ScriptedCore, director: Director) -> None:
    scripted_core.script("age").say(HELLO, error_line("canceled", "told to stop")).exit(30)

    with pytest.raises(CoreFailed) as raised:
        director.run()

    assert raised.value.code == "canceled"


def test_a_core_that_does_not_stop_is_killed(
    scripted_core: ScriptedCore, director: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "STOP_GRACE_S", 0.1)
    scripted_core.script("age").ignore_stops().say(HELLO).hang()

    run = director.start()
    wait_until("it has begun", lambda: director.records)
    director.is_stop_requested = True

    with pytest.raises(CoreKilled):
        run.result()


@pytest.mark.parametrize("error", [LeaseLost("the device is another's"), ZeroDivisionError("one over nothing")])
def test_a_check_that_raises_ends_the_core_and_all_of_its_group(
    scripted_core: ScriptedCore, director: Director, error: Exception
) -> None:
    script = scripted_core.script("age").ignore_stops()
    pid_file = script.leave_in_group()
    script.say(HELLO).hang()
    has_begun = threading.Event()

    def _check() -> bool:
        if has_begun.is_set():
            raise error
        return False

    run = director.start(_check)
    wait_until("it has begun", lambda: director.records)
    has_begun.set()

    with pytest.raises(type(error)):
        run.result()
    left = int(pid_file.read_text(encoding="utf-8"))
    wait_until("no process of its group is left", lambda: _is_gone(left))


def test_a_core_may_say_more_on_stderr_than_is_kept(scripted_core: ScriptedCore, director: Director) -> None:
    words = [f"word {number}" for number in range(5_000)]
    scripted_core.script("age").say(HELLO).mutter("\n".join(words)).exit(1)

    with pytest.raises(CoreDied) as raised:
        director.run()

    assert raised.value.log.endswith("word 4998\nword 4999\n")
    assert len(raised.value.log) == native.STDERR_TAIL_BYTES


def test_what_is_handed_on_stays_open_in_the_core(
    scripted_core: ScriptedCore, director: Director, tmp_path: Path
) -> None:
    """A lock that a core inherits is held until the core is gone, also when the worker is not."""
    script = scripted_core.script("age").say(HELLO)
    halt = script.halt()
    script.say(SUMMARY)
    with (tmp_path / "lock").open("w") as lock, ThreadPoolExecutor(1) as executor:
        run = executor.submit(
            run_core,
            AGE,
            [],
            on_record=director.records.append,
            check=director.check,
            inherit=(lock.fileno(),),
        )
        with halt.held(run.done):
            wait_until("it has begun", lambda: director.records)
            [core] = _children_with(tmp_path / "lock")
            assert core != os.getpid()
        run.result()


def _children_with(file: Path) -> list[int]:
    """Returns the other processes that have the file open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            targets = [os.readlink(fd) for fd in (process / "fd").iterdir()]
        except OSError:
            continue
        if str(file) in targets:
            found.append(int(process.name))
    return found
