"""The command against a real API, worker and devices: aging, restores, traced benchmarks, rollbacks."""

import hashlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import inspect

from fixture_types import MIB, MakeSandbox, StartRun
from observe import device_of, payloads_of, run_of, wait_for_stable_aging
from patina.db import Base, transaction
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job.state import JobState
from patina.use_case import delete_image as deletion
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S, wait_until
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB
# The command, which waits only a moment for an API that does not answer.
IMPATIENT = "from patina.cli import app, client; client.RETRY_S = 0.0; app.run()"

Row = TypeVar("Row", bound=Base)
StartPatina = Callable[..., subprocess.Popen[str]]
Patina = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def start_patina(server: ServedApp, worker: WorkerProcess) -> Iterator[StartPatina]:
    """Yields a function that starts the command as a shell does, in a process group of its own. The worker is up."""
    worker.start()

    def _start(
        *words: object, url: str = server.url, is_patient: bool = True, stdout: int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *(["-m", "patina.cli"] if is_patient else ["-c", IMPATIENT]), *map(str, words)],
            env=os.environ | {"PATINA_URL": url, "COLUMNS": "200", "TERM": "xterm"},
            stdout=stdout, stderr=subprocess.PIPE, text=True, process_group=0,
        )  # fmt: skip

    # A child inherits an ignored SIGINT, and a shell's background process ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield _start
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def patina(start_patina: StartPatina) -> Patina:
    """Returns a function that runs the command to its end."""

    def _run(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:
        process = start_patina(*words, **how)
        out, err = process.communicate(timeout=HANG_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, " ".join(err.split()))

    return _run


@contextmanager
def _terminal() -> Iterator[tuple[Callable[[], str], int]]:
    """Yields a function that returns the terminal's output so far, and the terminal's descriptor."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    drawn = bytearray()

    def _shown() -> str:
        with suppress(BlockingIOError):
            drawn.extend(os.read(ours, 65_536))
        return drawn.decode(errors="replace")

    try:
        yield _shown, theirs
    finally:
        os.close(theirs)
        os.close(ours)


def _json_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _path_of(device_id: int) -> str:
    return device_of(device_id).path or ""


def _digest_of(device_id: int) -> str:
    with Path(_path_of(device_id)).open("rb") as device:
        return hashlib.file_digest(device, "sha256").hexdigest()


def _await_state(run_id: int, state: JobState) -> None:
    wait_until(f"run {run_id} is {state}", lambda: run_of(run_id).state == state)


def _copy_of(row: Row, **changes: object) -> Row:
    columns = inspect(type(row)).columns.keys()
    left_out = {"id", *(f"{name}_id" for name in changes)}
    return type(row)(**{name: getattr(row, name) for name in columns if name not in left_out} | changes)


def _benchmark(device_id: int) -> tuple[str, ...]:
    return (
        *("dd", "bs=1M", "count=2", "seek=60", "oflag=direct", "status=none"),
        "if=/dev/urandom",
        f"of={_path_of(device_id)}",
    )


def test_a_device_is_aged_restored_elsewhere_benchmarked_and_rolled_back(
    patina: Patina, make_sandbox: MakeSandbox, profiles: None
) -> None:
    aged, other = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)
    image = _json_of(
        patina("age", _path_of(aged), "--profile", "quick", "--fullness", 50, "--confirm", _path_of(aged), "--json")
    )
    whole = _digest_of(aged)

    restored = patina("restore", image["name"], _path_of(other))
    assert restored.returncode == 0, restored.stderr
    assert f"{_path_of(other)} holds image {image['name']}." in restored.stdout
    assert _digest_of(other) == whole

    traced = patina("trace", _path_of(other), "--", *_benchmark(other))
    assert traced.returncode == 0, traced.stderr
    assert f"Traced: 2.00 MiB touched. `patina rollback {_path_of(other)}` restores" in traced.stdout
    assert _digest_of(other) != whole

    back = _json_of(patina("rollback", _path_of(other), "--json"))
    assert (back["kind"], back["state"]) == ("rollback", "succeeded")
    assert _digest_of(other) == whole
    assert "no write to it is known" in patina("rollback", _path_of(other)).stderr
    assert _json_of(patina("verify", image["name"], _path_of(other), "--json"))["state"] == "succeeded"

    with transaction() as session:
        deletion.delete_image(session=session, image_id=image["id"])
    assert "its image has been deleted since" in patina("follow", image["run_id"]).stderr


def test_any_setting_of_the_api_is_given_by_its_name_and_is_in_the_recipe(
    patina: Patina, make_sandbox: MakeSandbox, profiles: None
) -> None:
    path = _path_of(make_sandbox(SIZE_BYTES))
    words = ("age", path, "--profile", "quick", "--fullness", 50, "--confirm", path)
    asked = {"append_fraction": 0.1, "truncate_fraction": 0.1, "rename_fraction": 0.05, "size_draw": "log_uniform"}
    chosen = [word for name, value in asked.items() for word in ("--set", f"{name}={value}")]
    image = _json_of(patina(*words, *chosen, "--set", "seed=7", "--json"))
    assert image["recipe"].items() >= (asked | {"seed": 7}).items()
    assert image["summary"]["modification_ops_count"] > 0
    assert image["plan"]["size_draw"] == "log_uniform"
    assert image["plan"]["mix"]["append"] == 0.1

    for word, status, said in (
        ("append_fraction=0.95", 1, "--set append_fraction: must be 0.9 or less"),
        ("no_such=1", 1, "--set no_such: there is no such field"),
        ("x", 2, "name=value"),
    ):
        refused = patina(*words, "--set", word)
        assert refused.returncode == status
        assert said in refused.stderr


def test_a_workload_is_aged_and_its_log_replayed(patina: Patina, make_sandbox: MakeSandbox) -> None:
    recorded, twin = _path_of(make_sandbox(SIZE_BYTES)), _path_of(make_sandbox(SIZE_BYTES))
    words = ("--workload", "fsfb", "--fullness", 50, "--set", "rounds_count=3", "--keep-log")
    aged = patina("age", recorded, *words, "--confirm", recorded)
    assert aged.returncode == 0, aged.stderr
    assert "image fsfb-50-ext4-1" in aged.stdout
    assert "RMSE" not in aged.stdout
    image = _json_of(patina("age", twin, "--replay", 1, "--survivors", "--confirm", twin, "--json"))
    assert image["recipe"].items() >= {"workload": "replay", "replay_of": 1, "survivors": True}.items()
    listed = [line.split()[:2] for line in patina("runs").stdout.splitlines()[1:]]
    assert listed == [["2", "replay"], ["1", "fsfb"]]
    for wrong, said in (
        (("--workload", "fsfb", "--profile", "agrawal"), "workload"),
        (("--replay", 99), "99"),
        (("--workload", "no-such"), "fsfb"),
    ):
        refused = patina("age", twin, *wrong, "--confirm", twin)
        assert refused.returncode == 1
        assert said in refused.stderr


def test_a_trace_that_still_runs_is_ended_by_the_rollback(
    patina: Patina, make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    assert patina("follow", run_id, "--json").returncode == 0
    whole = _digest_of(device_id)

    armed = patina("trace", _path_of(device_id))
    assert f"Every write to {_path_of(device_id)} is recorded." in armed.stdout, armed.stderr
    subprocess.run(["mount", "-o", "ro,noload", _path_of(device_id), tmp_path], check=True)
    try:
        refused = patina("rollback", _path_of(device_id))
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert refused.returncode == 1
    assert f"still mounted at {tmp_path}" in " ".join(refused.stderr.split())
    subprocess.run(_benchmark(device_id), check=True)
    back = patina("rollback", _path_of(device_id))

    assert "Traced: 2.00 MiB touched." in back.stdout, back.stderr
    assert "2.00 MiB rewritten" in back.stdout
    assert _digest_of(device_id) == whole


def test_a_benchmark_that_fails_ends_its_trace_and_says_so(
    patina: Patina, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    assert patina("follow", start_run(device_id)).returncode == 0

    failures = (("false", "false failed with exit status 1.", 1), ("/no/such/benchmark", "cannot be run", 127))
    for benchmark, words, status in failures:
        traced = patina("trace", _path_of(device_id), "--", benchmark)

        assert traced.returncode == status
        assert f"{benchmark} " in traced.stderr
        assert words in traced.stderr
        assert device_of(device_id).active_lease is None
        assert patina("rollback", _path_of(device_id)).returncode == 0


def test_an_interrupt_is_the_benchmarks_own_and_its_trace_ends_after_it(
    start_patina: StartPatina, patina: Patina, make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path
) -> None:
    """Ctrl-C reaches every process of the terminal, so that a benchmark can clean up."""
    device_id = make_sandbox(SIZE_BYTES)
    assert patina("follow", start_run(device_id)).returncode == 0
    whole = _digest_of(device_id)
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    benchmark = f"trap 'touch {ended}; echo in order; exit 3' INT; touch {begun}; while :; do sleep 0.1; done"

    tracing = start_patina("trace", _path_of(device_id), "--json", "--", "bash", "-c", benchmark)
    wait_until("the benchmark runs", begun.exists)
    os.killpg(tracing.pid, signal.SIGINT)
    out, err = tracing.communicate(timeout=HANG_S)

    assert ended.exists()
    assert (tracing.returncode, out) == (3, ""), "a benchmark's output is no part of the JSON"
    assert "in order" in err
    assert "bash failed with exit status 3. Traced: 0 B touched." in " ".join(err.split())
    assert device_of(device_id).active_lease is None
    assert patina("rollback", _path_of(device_id)).returncode == 0
    assert _digest_of(device_id) == whole


def test_a_trace_that_could_not_be_ended_is_told_of_with_what_the_benchmark_came_to(
    patina: Patina, api: ApiProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    assert patina("follow", start_run(device_id)).returncode == 0
    whole = _digest_of(device_id)
    assert api.process is not None

    traced = patina(
        *("trace", _path_of(device_id), "--", "bash", "-c", f"kill -9 {api.process.pid}; exit 4"),
        url=api.url, is_patient=False,
    )  # fmt: skip

    assert traced.returncode == 1
    assert "bash failed with exit status 4. Nothing answers at" in traced.stderr
    assert f"If the trace goes on, `patina rollback {_path_of(device_id)}` ends it" in traced.stderr
    assert patina("rollback", _path_of(device_id)).returncode == 0
    assert _digest_of(device_id) == whole


@pytest.mark.usefixtures("throttled")
def test_a_run_is_left_followed_paused_resumed_and_canceled(
    start_patina: StartPatina, patina: Patina, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow")
    wait_for_stable_aging(run_id)
    with _terminal() as (shown, stdout):
        watching = start_patina("follow", run_id, stdout=stdout)
        wait_until("the run is drawn", lambda: "Aging" in shown())
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=HANG_S)
    assert watching.returncode == 130
    assert f"Run {run_id} goes on. `patina follow {run_id}` watches it" in " ".join(err.split())
    assert run_of(run_id).state == JobState.RUNNING

    for word, state in (("pause", JobState.PAUSED), ("resume", JobState.RUNNING), ("cancel", JobState.CANCELED)):
        asked = patina(word, run_id)
        assert f"Run {run_id} is asked to" in asked.stdout, asked.stderr
        _await_state(run_id, state)
    followed = patina("follow", run_id)
    assert followed.returncode == 1
    assert f"Run {run_id} ended canceled" in followed.stderr
    for listing, words in (("runs", "canceled"), ("devices", "local"), ("profiles", "Agrawal 2007")):
        assert words in patina(listing).stdout
    assert f"There is no job {run_id + 1}" in patina("follow", run_id + 1).stderr


@pytest.mark.usefixtures("throttled")
def test_who_follows_a_run_stays_through_an_interruption_that_ends_by_itself(
    start_patina: StartPatina, worker: WorkerProcess, patina: Patina, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow")
    watching = start_patina("follow", run_id)
    wait_for_stable_aging(run_id)
    worker.end(signal.SIGKILL)
    worker.start()
    wait_until("the run was interrupted", lambda: "interrupted" in [p.get("state") for p in payloads_of(run_id)])
    _await_state(run_id, JobState.RUNNING)
    assert patina("cancel", run_id).returncode == 0

    _, err = watching.communicate(timeout=HANG_S)

    assert f"Run {run_id} ended canceled" in " ".join(err.split())


def test_a_name_that_two_hosts_give_to_a_device_is_refused(patina: Patina, make_sandbox: MakeSandbox) -> None:
    here = make_sandbox(SIZE_BYTES)
    with transaction() as session:
        device = session.get_one(Device, here)
        # No worker reports for this host. It counts as healthy while the test runs.
        heard_at = datetime.now(UTC) + timedelta(hours=1)
        lab_7 = _copy_of(device.host, name="lab-7", worker_key="7", heartbeat_at=heard_at)
        there = _copy_of(device, stable_id="sandbox-of-lab-7", host=lab_7)
        session.add(there)

    refused = patina("age", _path_of(here))

    assert refused.returncode == 1
    assert f"2 devices are called '{_path_of(here)}'" in refused.stderr
    assert f"{there.id} on host lab-7 (sandbox-of-lab-7)" in refused.stderr
    with transaction() as session:
        gone = session.get_one(Device, there.id)
        gone.condition, gone.condition_reason = DeviceCondition.LOST, "gone [/dev/sdb]"
    assert "devices are called" not in patina("trace", _path_of(here)).stderr
    assert "gone [/dev/sdb]" in patina("devices").stdout
    assert "There is no device '/dev/none'" in patina("age", "/dev/none").stderr
