"""Commands of the host as workloads: only what root alone can change, recorded with its output."""

import hashlib
import os
from pathlib import Path

import pytest

from patina.db import transaction
from patina.host.models import Host
from patina.job.state import JobState
from patina.settings import settings
from patina_worker.host.commands import CommandNotAllowed, command_of, commands
from trials import digest_of, done, image_of, measured, start

WRITES = """#!/bin/sh
test "$PWD" = "$PATINA_MOUNT/patina-workload" || exit 3
dd if=/dev/zero of=file bs=4096 count=64 2>/dev/null
echo "arguments: $*"
echo '{"rows": 12, "text": "left out", "rate": 2.5}'
"""


@pytest.fixture
def folder(tmp_path: Path, host_id: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the host's command folder, with the program `writes`."""
    folder = tmp_path / "commands"
    folder.mkdir(mode=0o755)
    added(folder, "writes", WRITES)
    allowed = settings().model_copy(update={"command_folder": str(folder)})
    monkeypatch.setattr("patina_worker.host.commands.settings", lambda: allowed)
    with transaction() as session:
        session.get_one(Host, host_id).commands = commands()
    return folder


def added(folder: Path, name: str, text: str, mode: int = 0o755) -> Path:
    program = folder / name
    program.write_text(text)
    program.chmod(mode)
    return program


def test_a_command_is_run_in_the_file_system_and_recorded(aged: int, folder: Path) -> None:
    before = digest_of(aged)
    trial = done(start(aged, [{"kind": "command", "name": "mine", "program": "writes", "arguments": ["a b", "-c"]}]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    measurement = measured(trial.id)[0].measurement
    assert measurement is not None
    assert measurement.value == measurement.elapsed_s > 0
    assert measurement.device.written_bytes >= 64 * 4096
    assert measurement.figures == {"rows": 12, "rate": 2.5}
    assert measurement.output is not None
    assert measurement.output["argv"] == ["writes", "a b", "-c"]
    assert measurement.output["sha256"] == hashlib.sha256(WRITES.encode()).hexdigest()
    assert "arguments: a b -c" in str(measurement.output["stdout"])
    assert digest_of(aged) == before


def test_a_command_that_fails_is_recorded_and_the_others_go_on(aged: int, folder: Path) -> None:
    added(folder, "writes", "#!/bin/sh\necho broken >&2\nexit 7\n")
    workload: dict[str, object] = {"kind": "command", "name": "mine", "program": "writes"}
    trial = done(start(aged, [workload, {"kind": "find"}]))
    failed = [row for row in trial.repetitions if row.error_code is not None]
    assert {row.error_code for row in failed} == {"workload_failed"}
    assert len(failed) == 3
    assert "exit status 7" in (failed[0].error_message or "")
    assert "broken" in (failed[0].error_message or "")


def test_output_that_no_document_can_hold_is_recorded_without_it(aged: int, folder: Path) -> None:
    numbers = '{"x": ' + "1" * 400 + ', "ok": 3, "\\ud800": 1}'
    added(folder, "writes", f"#!/bin/sh\nprintf 'a\\000b\\n'\nprintf '%s\\n' '{numbers}'\n")
    workload: dict[str, object] = {"kind": "command", "name": "mine", "program": "writes"}
    trial = done(start(aged, [workload]))
    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    measurement = measured(trial.id)[0].measurement
    assert measurement is not None
    assert measurement.figures == {}
    assert "a\ufffdb" in str((measurement.output or {})["stdout"])


def test_a_command_that_is_gone_when_the_trial_runs_fails_its_repetitions(aged: int, folder: Path) -> None:
    workload: dict[str, object] = {"kind": "command", "name": "mine", "program": "writes"}
    trial_id = start(aged, [workload, {"kind": "find"}], arms=[{"image_id": image_of(aged)}])
    (folder / "writes").unlink()
    trial = done(trial_id)
    assert {row.error_code for row in trial.repetitions} == {None, "command_not_allowed"}


def test_only_what_root_alone_can_change_is_a_command(folder: Path, tmp_path: Path) -> None:
    added(folder, "group-writable", WRITES, 0o775)
    added(folder, "not-executable", WRITES, 0o644)
    os.chown(added(folder, "others", WRITES), 12345, -1)
    (folder / "link").symlink_to(folder / "writes")
    (folder / "folder").mkdir()
    added(folder, "with space", WRITES)
    os.close(os.open(os.fsencode(folder) + b"/\xff", os.O_CREAT, 0o755))
    assert commands() == ["writes"]
    for name in ("group-writable", "not-executable", "others", "link", "folder", "missing"):
        with pytest.raises(CommandNotAllowed, match=name):
            command_of(name)
    folder.chmod(0o777)
    assert commands() == []


def test_without_a_folder_there_is_no_command() -> None:
    assert commands() == []
    with pytest.raises(CommandNotAllowed, match="which is not set"):
        command_of("writes")
