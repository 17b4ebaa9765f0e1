"""The suite's own runner: it counts the executed tests, misses no defined one, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from patina_dev import SUITE_FOLDER
from patina_dev.suite.defined import missing_gtest, missing_javascript, missing_python
from patina_dev.suite.place import Place, clear_left_over
from patina_dev.suite.report import Case, ReportMissing, Totals, read_junit, read_playwright, read_vitest, totals_of
from patina_dev.testing.loop_files import disk_sequence, loop_files
from patina_dev.testing.wait import wait_until
from patina_stack import PROJECT_DIR
from patina_stack.services import PrivateServices


def _suite(folder: Path, table: str, *arguments: str) -> subprocess.Popen[str]:
    """Starts the suite with the test's table of layers. Its temporary folder is `folder`."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from patina_dev.suite.__main__ import main\n"
        "from patina_dev.suite.layers import Command, Layer\n"
        "from patina_dev.suite.report import Case, read_junit\n"
        f"sys.exit(main({table}))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != SUITE_FOLDER}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=environment | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _end_of(suite: subprocess.Popen[str]) -> tuple[int, list[str]]:
    output, _ = suite.communicate()
    return suite.returncode, output.splitlines()


def _is_gone(pid: int) -> bool:
    """Returns whether the process has ended; a zombie that is not reaped has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].startswith("Z")
    except FileNotFoundError:
        return True


def test_a_bare_pytest_collects_every_layer() -> None:
    settings = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(settings["tool"]["pytest"]["ini_options"]["testpaths"])
    tracked = subprocess.run(
        ["git", "-C", PROJECT_DIR, "-c", "safe.directory=*", "ls-files", "*test_*.py"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    found = {Path(*Path(path).parts[:2]) for path in tracked if Path(path).name.startswith("test_")}
    assert found == {Path(path) for path in listed}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ('["true"]', "1 passed, 0 failed, 0 skipped"),
        ('["false"]', "0 passed, 1 failed, 0 skipped"),
        ('["sh", "-c", "kill -SEGV $$"]', "0 passed, 1 failed, 0 skipped"),
    ],
)
def test_a_command_that_fails_turns_the_totals_red(tmp_path: Path, command: str, words: str) -> None:
    status, lines = _end_of(_suite(tmp_path, f'[Layer("one", lambda place, choice: [Command({command})])]'))
    assert (status, lines[-1]) == (int("0 failed" not in words), words)


@pytest.mark.parametrize(
    ("junit", "words"),
    [
        ("<testsuite><testcase classname='a' name='b'/></testsuite>", "1 passed, 1 failed, 0 skipped"),
        ("<testsuite/>", "0 passed, 1 failed, 0 skipped"),
        ("<testsuite", "0 passed, 1 failed, 0 skipped"),
    ],
)
def test_a_runner_that_dies_with_a_good_report_or_executes_nothing_has_failed(
    tmp_path: Path, junit: str, words: str
) -> None:
    report = tmp_path / "report.xml"
    report.write_text(junit, encoding="utf-8")
    command = f'Command(["sh", "-c", "exit 3"], report=Path("{report}"))'
    status, lines = _end_of(_suite(tmp_path, f'[Layer("one", lambda place, choice: [{command}], read_junit)]'))
    assert (status, lines[-1]) == (1, words)
    assert "one: the runner exited with status 3" in lines


def test_the_last_lines_name_each_failed_test_and_why_it_failed(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    failure = "&#10;".join(["assert 1 == 2", *"123456789"])
    report.write_text(
        f"""<testsuite><testcase classname='a.test_b' name='test_c[1]'><failure message='{failure}'/></testcase>
        <testcase classname='a.test_b' name='test_d'/></testsuite>""",
        encoding="utf-8",
    )
    command = f'Command(["sh", "-c", "exit 1"], report=Path("{report}"))'
    status, lines = _end_of(_suite(tmp_path, f'[Layer("one", lambda place, choice: [{command}], read_junit)]'))
    assert status == 1
    assert lines[lines.index("Failed tests:") + 1 :] == [
        "  one: a/test_b.py test_c[1]",
        "    assert 1 == 2",
        *(f"    {line}" for line in "1234567"),
        "",
        "1 passed, 1 failed, 0 skipped",
    ]


def test_tests_that_are_written_and_were_not_executed_turn_the_totals_red(tmp_path: Path) -> None:
    table = '[Layer("one", lambda place, choice: [Command(["true"])], missing=lambda cases: ["test_a.py::test_b"])]'
    status, lines = _end_of(_suite(tmp_path, table))
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")
    assert "  test_a.py::test_b" in lines


def test_what_the_tests_leave_behind_turns_the_totals_red_and_is_removed(tmp_path: Path) -> None:
    # The shell ends when its child has executed the program to be found.
    is_through = "grep -qx sleep /proc/$!/comm && grep -qa . /proc/$!/environ"
    script = f"setsid sleep 1000 >/dev/null 2>&1 & until {is_through}; do :; done; echo $! >&2"
    command = f"""Command(["sh", "-c", "{script}"])"""
    status, lines = _end_of(_suite(tmp_path, f'[Layer("one", lambda place, choice: [{command}])]'))
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")
    [left] = [line for line in lines if "sleep 1000" in line]
    pid = int(left.split()[1].rstrip(":"))
    assert _is_gone(pid)
    assert list(tmp_path.iterdir()) == []


def test_a_process_in_the_middle_of_an_execution_is_seen(tmp_path: Path) -> None:
    place = Place(tmp_path)
    script = tmp_path / "again"
    script.write_text(f"exec sh {script}\n")
    process = subprocess.Popen(["sh", script], env=place.environment())
    try:
        assert [process.pid in place._processes() for _ in range(200)] == [True] * 200
    finally:
        process.kill()
        process.wait()


HANGING = """[Layer("one", lambda place, choice: [Command(
    ["sh", "-c", "setsid sleep 1000 & echo $! > {note}.new; mv {note}.new {note}; wait"])])]"""


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path, int]]:
    """Yields a suite whose one test hangs, its temporary folder, and a process that the test has started."""
    note, folder = tmp_path / "pid", tmp_path / "folder"
    folder.mkdir()
    suite = _suite(folder, HANGING.format(note=note))
    wait_until("the test hangs", note.exists)
    yield suite, folder, int(note.read_text(encoding="utf-8"))
    suite.kill()
    suite.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_suite_that_is_ended_by_a_signal_leaves_nothing(
    hanging: tuple[subprocess.Popen[str], Path, int], number: signal.Signals
) -> None:
    suite, folder, pid = hanging
    suite.send_signal(number)
    status, lines = _end_of(suite)
    assert (status, lines[-1]) == (128 + number, f"The suite was ended by {number.name}.")
    assert _is_gone(pid)
    assert list(folder.iterdir()) == []


def test_what_a_killed_suite_left_is_removed_by_the_next(hanging: tuple[subprocess.Popen[str], Path, int]) -> None:
    suite, folder, pid = hanging
    suite.kill()
    suite.wait()
    assert not _is_gone(pid)
    status, lines = _end_of(_suite(folder, '[Layer("one", lambda place, choice: [Command(["true"])])]'))
    assert (status, lines[-1]) == (0, "1 passed, 0 failed, 0 skipped")
    assert any(line.startswith("Removed what a killed run had left: process") for line in lines)
    assert _is_gone(pid)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_services_of_a_dead_run_are_ended(make_place: Callable[[], Place], services: PrivateServices) -> None:
    place = make_place()
    state_dir = place.temporary / "state"
    for folder in (state_dir, state_dir / "run"):
        folder.mkdir(mode=0o755)
    left = PrivateServices(state_dir=state_dir, run_dir=state_dir / "run")
    left.start()

    found = clear_left_over()

    names = {line.split()[2].rpartition("/")[2].rstrip(":") for line in found}
    assert names == {"postgres", "redis-server"}
    assert (left.postgresql.pid(), left.redis.pid()) == (None, None)
    assert services.postgresql.pid() is not None
    assert not place.root.exists()


@pytest.fixture
def make_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Place]:
    """Returns a function that makes folders of runs in this test's temporary folder."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)  # tempfile caches it at the first use
    return Place.make


def test_the_folder_of_a_run_is_in_memory_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for room_bytes, parent in ((0, Path("/dev/shm")), (2**63, tmp_path)):
        monkeypatch.setattr("patina_dev.suite.place._ROOM_BYTES", room_bytes)
        place = Place.make()
        assert place.clear() == []
        assert place.root.parent == parent


def test_a_run_that_goes_on_is_left_alone(make_place: Callable[[], Place]) -> None:
    living, dead = make_place(), make_place()
    with living.locked(), subprocess.Popen(["sleep", "1000"], env=living.environment()) as process:
        assert clear_left_over() == []
        assert process.poll() is None
        assert living.root.exists()
        process.kill()
    assert not dead.root.exists()
    assert living.clear() == []


def test_loop_devices_mounts_and_memory_of_a_dead_run_are_removed_and_no_others(
    as_root: None, make_place: Callable[[], Place], tmp_path: Path
) -> None:
    place, foreign = make_place(), tmp_path / "foreign.img"
    backing, target = place.temporary / "disk.img", place.temporary / "a folder"
    for file in (backing, foreign):
        file.touch()
        os.truncate(file, 2**24)
    own_loop, foreign_loop = (
        subprocess.run(["losetup", "--find", "--show", file], capture_output=True, text=True, check=True).stdout.strip()
        for file in (backing, foreign)
    )
    try:
        subprocess.run(["mkfs.ext4", "-q", own_loop], check=True)
        target.mkdir()
        subprocess.run(["mount", own_loop, target], check=True)
        (place.memory / "scratch").touch()

        found = clear_left_over()

        assert [line.split(" ")[0] for line in found] == ["mount", "loop", "in"]
        assert own_loop in found[1]
        wait_until("the file is in no loop device", lambda: str(backing) not in loop_files().values())
        assert loop_files()[foreign_loop] == str(foreign)
        assert not place.memory.exists()
        assert not place.root.exists()
    finally:
        subprocess.run(["losetup", "--detach", foreign_loop], check=True)


def test_a_loop_device_in_memory_is_removed_when_the_namespace_that_attached_it_is_gone(
    as_root: None, make_place: Callable[[], Place]
) -> None:
    """The kernel shows its file without the mount point."""
    place = make_place()
    backing = place.memory / "disk.img"
    backing.touch()
    os.truncate(backing, 2**24)
    attach = ["unshare", "--mount", "losetup", "--find", "--show", str(backing)]
    loop = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()

    found = clear_left_over()

    assert any(line.startswith(f"loop device {loop} ") for line in found), found
    wait_until("the file is in no loop device", lambda: backing.name not in "".join(loop_files().values()))


def test_a_loop_device_over_a_file_of_another_machine_is_removed(
    as_root: None, make_place: Callable[[], Place]
) -> None:
    """The kernel shows its file by the path in that machine."""
    place = make_place()
    backing = place.temporary / "root" / "disk.img"
    backing.parent.mkdir()
    backing.touch()
    os.truncate(backing, 2**24)
    attach = 'mount --bind "$0" /mnt && exec losetup --find --show /mnt/disk.img'
    argv = ["unshare", "--mount", "sh", "-c", attach, str(backing.parent)]
    loop = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    attached = disk_sequence(loop)
    assert loop_files()[loop] == "/disk.img"

    found = clear_left_over()

    assert found == [f"loop device {loop} on /disk.img"]
    wait_until("the file is in no loop device", lambda: disk_sequence(loop) != attached)


def test_a_loop_device_over_an_emulated_disk_of_another_namespace_is_removed(
    as_root: None, make_place: Callable[[], Place]
) -> None:
    """The kernel shows its file as the root of a mount, and has no inode of it once the emulator was killed."""
    place = make_place()
    folder = place.temporary / "disk"
    core = PROJECT_DIR / "native/build/patina-core"
    emulate = (
        f"{core} emulate --backing {folder} --size 16777216 >/dev/null 2>&1 & until [ -s {folder}/disk ]; do :; done"
    )
    attach = f"{emulate}; losetup --find --show {folder}/disk"
    argv = ["unshare", "--mount", "sh", "-c", attach]
    loop = subprocess.run(argv, env=place.environment(), capture_output=True, text=True, check=True).stdout.strip()
    attached = disk_sequence(loop)

    found = clear_left_over()

    assert [line.split(" ")[0] for line in found] == ["process", "loop"], found
    assert f"loop device {loop} on /" in found[1]
    wait_until("the file is in no loop device", lambda: disk_sequence(loop) != attached)


def test_a_test_that_pytest_does_not_report_is_missing(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_a(): ...\nasync def test_b(): ...\ndef help(): ...\n")
    cases = [Case("tests/test_one.py", "test_a", "test_a[1]", "passed", 0.1)]
    assert missing_python(tmp_path, cases, root=tmp_path) == ["test_one.py::test_a", "test_one.py::test_b"]
    cases = [Case("test_one.py", "test_a", "test_a[1]", "skipped", 0.1)]
    assert missing_python(tmp_path, cases, root=tmp_path) == ["test_one.py::test_b"]


def test_a_test_that_googletest_does_not_report_is_missing(tmp_path: Path) -> None:
    (tmp_path / "plan_test.cc").write_text("TEST(Plan, IsSmall) {}\nTEST_P(PlanOf,\n       Each) {}\n")
    cases = [Case("plan_test.cc", "PlanOf.Each", "Each/ext4", "passed", 0.1)]
    assert missing_gtest(tmp_path, cases) == ["plan_test.cc::Plan.IsSmall"]


def test_a_file_of_which_fewer_tests_are_reported_than_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.spec.ts").write_text('test.use({});\ntest("a", f);\n  test.each([1, 2])("b %d", f);\n')
    (tmp_path / "empty.spec.ts").write_text("")
    cases = [Case("specs/run.spec.ts", "a", "a", "passed", 0.1)]
    assert missing_javascript(tmp_path, "*.spec.ts", cases) == [
        "empty.spec.ts: 0 tests are written, 0 were executed",
        "run.spec.ts: 2 tests are written, 1 were executed",
    ]


def test_junit_is_read_as_pytest_and_googletest_write_it(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        """<testsuites><testsuite>
        <testcase classname="backend.tests.test_a" name="test_b[1-x]" time="0.5"/>
        <testcase classname="backend.tests.test_a" name="test_c" time="1"><error/></testcase>
        <testcase classname="backend.tests.test_a" name="test_d" time="1"><skipped/></testcase>
        <testcase classname="Kinds/AgingOf" name="Ends/ext4" file="/src/age_test.cc" status="run" result="skipped"/>
        <testcase classname="Plan" name="IsSmall" file="/src/plan_test.cc" status="notrun"/>
        <testcase classname="Plan" name="IsLarge" file="/src/plan_test.cc" status="run">
          <failure message="one"/><failure>two</failure></testcase>
        </testsuite></testsuites>"""
    )
    cases = read_junit(report)
    assert [(case.file, case.name, case.outcome) for case in cases] == [
        ("backend/tests/test_a.py", "test_b", "passed"),
        ("backend/tests/test_a.py", "test_c", "failed"),
        ("backend/tests/test_a.py", "test_d", "skipped"),
        ("age_test.cc", "AgingOf.Ends", "skipped"),
        ("plan_test.cc", "Plan.IsLarge", "failed"),
    ]
    assert totals_of(cases) == Totals(passed=1, failed=2, skipped=2)
    assert cases[-1].failure == "one\ntwo"


def test_a_browser_test_that_passes_at_a_second_try_has_failed(tmp_path: Path) -> None:
    def _spec(title: str, status: str, *errors: str) -> dict[str, object]:
        result = {"duration": 1500, "errors": [{"message": error} for error in errors]}
        return {"file": "a.spec.ts", "title": title, "tests": [{"status": status, "results": [result]}]}

    inner = {
        "specs": [
            _spec("b", "flaky", "\x1b[31mTimeout", "waiting for b"),
            _spec("c", "unexpected"),
            _spec("d", "skipped"),
        ]
    }
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"suites": [{"specs": [_spec("a", "expected")], "suites": [inner]}]}))
    cases = read_playwright(report)
    assert totals_of(cases) == Totals(passed=1, failed=2, skipped=1)
    assert cases[0].seconds == 1.5
    assert [case.failure for case in cases if case.name == "b"] == ["Timeout\nwaiting for b"]


def test_the_report_of_the_frontend_is_read(tmp_path: Path) -> None:
    tests = [
        {"title": "a", "fullName": "x a", "status": "passed", "duration": 12.0},
        {"title": "b", "fullName": "x b", "status": "failed", "failureMessages": ["b is c"]},
        {"title": "c", "fullName": "x c", "status": "pending"},
    ]
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"testResults": [{"name": "/src/a.test.ts", "assertionResults": tests}]}))
    cases = read_vitest(report)
    assert totals_of(cases) == Totals(passed=1, failed=1, skipped=1)
    assert [case.failure for case in cases] == ["", "b is c", ""]
    with pytest.raises(ReportMissing):
        read_vitest(tmp_path / "none.json")
