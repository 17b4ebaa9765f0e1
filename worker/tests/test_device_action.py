"""Restoring, verifying, tracing and rolling back by the worker, on real devices."""

import hashlib
import signal
import subprocess
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox, StartRun
from observe import device_of, look_at_devices, run_of
from patina.db import transaction
from patina.delta.models import Holding
from patina.device.models import Device
from patina.device_action import service
from patina.device_action.models import Action
from patina.device_action.schemas import ActionCreate, ActionPage
from patina.errors import PatinaError
from patina.image import service as image_service
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.wait import wait_until
from patina_worker.host import file_system, inventory, sandbox
from worker_process import WorkerProcess

SIZE_BYTES = 72 * MIB


def start(device_id: int, kind: str, **changes: object) -> int:
    """Queues an action as the API does. Returns its id."""
    device = device_of(device_id)
    typed = changes.pop("typed", device.path)
    confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "typed": typed}
    body: dict[str, object] = {"kind": kind, "device_id": device_id, "confirmation": confirmation}
    with transaction() as session:
        create = ActionCreate.model_validate(body | changes)
        return service.start_action(session=session, create=create, idempotency_key=None).id


def action_of(action_id: int) -> Action:
    with transaction() as session:
        return session.get_one(Action, action_id)


def done(action_id: int) -> Action:
    """Runs the action in this process."""
    from patina_worker import tasks

    tasks.work(action_id)
    return action_of(action_id)


def holding_of(device_id: int) -> Holding | None:
    with transaction() as session:
        return session.get(Holding, device_id)


def doubt_of(device_id: int) -> str | None:
    holding = holding_of(device_id)
    assert holding is not None
    return holding.doubt


def write_past_a_trace(device_id: int) -> None:
    with Path(device_of(device_id).path or "").open("r+b") as device:
        device.seek(40 * MIB)
        device.write(b"x")


def digest_of(device_id: int) -> str:
    path = Path(device_of(device_id).path or "")
    with path.open("rb") as device:
        return hashlib.file_digest(device, "sha256").hexdigest()


@pytest.fixture
def aged(make_sandbox: MakeSandbox, start_run: StartRun) -> int:
    """Returns the id of a device that was aged and holds its image."""
    from patina_worker import tasks

    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    return device_id


def image_of(device_id: int) -> int:
    holding = holding_of(device_id)
    assert holding is not None
    return holding.image_id


@contextmanager
def mounted(device_id: int, folder: Path) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", device_of(device_id).path or "", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def armed(device_id: int) -> Iterator[int]:
    """Traces the device in a thread of this process while the context lasts."""
    action_id = start(device_id, "trace")
    with ThreadPoolExecutor(1) as executor:
        tracing = executor.submit(done, action_id)
        wait_until("the trace is armed, or has ended", lambda: action_of(action_id).armed_at or tracing.done())
        try:
            yield action_id
        finally:
            with transaction() as session:
                job_service.stop(session=session, job_id=action_id)
            tracing.result()


def test_an_aged_device_holds_its_image(aged: int) -> None:
    holding = holding_of(aged)
    assert holding is not None
    assert holding.generation
    assert holding.delta_id is None


def test_a_device_that_is_aged_again_holds_the_new_image(aged: int, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(aged, "slow")
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert holding_of(aged) is not None  # it was never begun
    run_id = start_run(aged, fullness=0.4)
    tasks.work(run_id)
    with transaction() as session:
        assert session.get_one(Image, image_of(aged)).run_id == run_id


def test_a_restored_image_is_the_same_to_the_byte(aged: int, make_sandbox: MakeSandbox) -> None:
    other = make_sandbox(SIZE_BYTES)
    with Path(device_of(other).path or "").open("r+b") as device:
        device.write(b"old" * MIB)
    look_at_devices()

    action = done(start(other, "restore", image_id=image_of(aged)))

    assert action.state == JobState.SUCCEEDED, (action.message, action.error_log)
    assert digest_of(other) == digest_of(aged)
    assert image_of(other) == image_of(aged)
    assert action.done == action.total == 2 * SIZE_BYTES
    assert "every byte verified" in action.message
    assert device_of(other).holds == "ext4"
    assert device_of(other).active_lease is None


def test_a_verification_tells_whether_the_device_still_holds_its_image(aged: int) -> None:
    assert done(start(aged, "verify", image_id=image_of(aged))).state == JobState.SUCCEEDED
    image_id = image_of(aged)
    before = digest_of(aged)
    write_past_a_trace(aged)

    action = done(start(aged, "verify", image_id=image_id))

    assert (action.state, action.error_code) == (JobState.FAILED, "verify_mismatch")
    assert (image_of(aged), doubt_of(aged)) == (image_id, "differs")
    action = done(start(aged, "rollback"))
    assert action.state == JobState.SUCCEEDED, (action.message, action.error_log)
    assert action.result is not None
    assert action.result["compared"] == "full"
    assert (digest_of(aged), doubt_of(aged)) == (before, None)


def test_a_device_that_was_mounted_outside_a_trace_is_not_said_to_hold_just_its_image(
    aged: int, tmp_path: Path
) -> None:
    before = digest_of(aged)
    look_at_devices()
    assert doubt_of(aged) is None
    with pytest.raises(PatinaError, match="no write to it is known"):
        start(aged, "rollback")

    with mounted(aged, tmp_path / "mount") as folder:
        (folder / "note").write_bytes(b"x")
    look_at_devices()

    assert doubt_of(aged) == "changed"
    assert done(start(aged, "rollback")).state == JobState.SUCCEEDED
    assert (digest_of(aged), doubt_of(aged)) == (before, None)
    look_at_devices()
    assert doubt_of(aged) is None


def test_a_device_that_was_written_to_after_its_trace_is_compared_in_full(aged: int, tmp_path: Path) -> None:
    before = digest_of(aged)
    with armed(aged), mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"x")
    look_at_devices()
    assert doubt_of(aged) is None
    write_past_a_trace(aged)
    look_at_devices()
    assert doubt_of(aged) == "changed"
    action = done(start(aged, "rollback"))
    assert action.result is not None
    assert action.result["full_reason"] == "device_changed_since"
    assert digest_of(aged) == before


def test_what_others_made_on_a_device_is_not_rolled_back_unasked(aged: int) -> None:
    """Covers writes since the device was last read, and a request from a page shown before them."""
    path = device_of(aged).path or ""
    write_past_a_trace(aged)
    look_at_devices()
    with pytest.raises(PatinaError, match="serial, path or name"):
        start(aged, "rollback", typed=None)
    action_id = start(aged, "rollback")
    theirs = str(uuid.uuid4())
    subprocess.run(["wipefs", "-qa", path], check=True)
    subprocess.run(["mkswap", "-q", "-U", theirs, path], check=True)
    action = done(action_id)
    assert (action.state, action.error_code) == (JobState.FAILED, "device_changed")
    assert file_system.uuid_on(path) == theirs


def test_a_sandbox_that_is_attached_anew_still_holds_its_image(aged: int) -> None:
    device = device_of(aged)
    sandbox.detach(device.path or "")
    inventory.attach_sandboxes(device.host)
    look_at_devices()
    assert doubt_of(aged) is None
    write_past_a_trace(aged)
    look_at_devices()
    assert doubt_of(aged) == "changed"


@pytest.mark.parametrize("path", ["--help", "/dev/../etc/passwd", "/dev/null", "x\ny"])
def test_a_path_in_a_row_that_is_no_device_is_not_looked_at(aged: int, path: str) -> None:
    with transaction() as session:
        session.get_one(Device, aged).path = path
    look_at_devices()
    assert doubt_of(aged) == "unknown"
    look_at_devices()  # by the path in the row
    assert doubt_of(aged) is None


def test_a_trial_under_trace_is_rolled_back(aged: int, tmp_path: Path) -> None:
    before = digest_of(aged)
    with armed(aged) as action_id, mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"results " * 100_000)
        subprocess.run(["sync"], check=True)
    traced = action_of(action_id)
    assert traced.state == JobState.SUCCEEDED, (traced.message, traced.error_log)
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta is not None
    assert holding.delta.incomplete_reason is None
    assert 800_000 < holding.delta.touched_bytes < 20 * MIB
    assert digest_of(aged) != before

    action = done(start(aged, "rollback"))

    assert action.state == JobState.SUCCEEDED, (action.message, action.error_log)
    assert digest_of(aged) == before
    assert action.result is not None
    assert action.result["compared"] == "touched"
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta_id is None


def test_a_trace_is_not_stopped_while_the_device_is_mounted(aged: int, tmp_path: Path) -> None:
    before = digest_of(aged)
    with armed(aged) as action_id, mounted(aged, tmp_path / "mount") as folder:
        with transaction() as session:
            job_service.stop(session=session, job_id=action_id)
        wait_until("the stop is declined", lambda: action_of(action_id).state == JobState.RUNNING)
        action = action_of(action_id)
        assert action.stop_requested_at is None
        assert f"still mounted at {folder}" in action.message
        assert "then stop the trace" in action.message
        (folder / "trial").write_bytes(b"x" * MIB)
    traced = action_of(action_id)
    assert traced.state == JobState.SUCCEEDED, (traced.message, traced.error_log)
    assert traced.delta is not None
    assert traced.delta.incomplete_reason is None
    done(start(aged, "rollback"))
    assert digest_of(aged) == before


def test_what_a_trial_made_is_kept_as_a_child_and_costs_what_changed(
    aged: int, make_sandbox: MakeSandbox, tmp_path: Path
) -> None:
    parent_id = image_of(aged)
    with armed(aged), mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"results " * 10_000)
    after = digest_of(aged)
    with pytest.raises(PatinaError) as unarmed:
        start(aged, "trace")
    assert unarmed.value.code == "holds_delta"

    action = done(start(aged, "capture", image_name="mail-after-trial"))

    assert action.state == JobState.SUCCEEDED, (action.message, action.error_log)
    with transaction() as session:
        child = session.get_one(Image, image_of(aged))
        assert child.name == "mail-after-trial"
        shown = image_service.read(child)
        assert shown.parent is not None
        assert shown.parent.id == parent_id
        assert [link.id for link in image_service.read(session.get_one(Image, parent_id)).children] == [child.id]
        assert shown.capture.new_bytes < shown.stored_bytes
        parent = session.get_one(Image, parent_id)
        assert child.fullness is not None
        assert parent.fullness is not None
        assert 0 < abs(child.fullness - parent.fullness) < 0.02, "its own, by the 80 kB that the trial wrote"
        assert child.is_readable
    other = make_sandbox(SIZE_BYTES)
    done(start(other, "restore", image_id=child.id))
    assert digest_of(other) == after
    with pytest.raises(PatinaError) as raised:
        start(aged, "capture")
    assert raised.value.code == "nothing_to_capture"


def test_a_write_after_the_trace_makes_the_rollback_compare_everything(aged: int, tmp_path: Path) -> None:
    before = digest_of(aged)
    with armed(aged), mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"x")
    with Path(device_of(aged).path or "").open("r+b") as device:
        device.seek(40 * MIB)
        device.write(b"out of the window")
    look_at_devices()

    action = done(start(aged, "rollback"))

    assert action.result is not None
    assert (action.result["compared"], action.result["full_reason"]) == ("full", "device_changed_since")
    assert digest_of(aged) == before


def test_a_worker_that_dies_while_tracing_leaves_an_incomplete_delta(
    aged: int, worker: WorkerProcess, tmp_path: Path
) -> None:
    before = digest_of(aged)
    worker.start()
    action_id = start(aged, "trace")
    wait_until("the trace is armed", lambda: action_of(action_id).armed_at is not None)
    worker.end(signal.SIGKILL)
    with mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"x" * MIB)
    worker.start()
    wait_until("the action is interrupted", lambda: action_of(action_id).state == JobState.INTERRUPTED)
    worker.end(signal.SIGTERM)
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta is not None
    assert holding.delta.incomplete_reason == "tracer_died"

    action = done(start(aged, "rollback"))

    assert action.state == JobState.SUCCEEDED, (action.message, action.error_log)
    assert action.result is not None
    assert action.result["compared"] == "full"
    assert digest_of(aged) == before


def test_a_device_that_changed_before_it_was_armed_gives_an_incomplete_delta(aged: int, tmp_path: Path) -> None:
    before = digest_of(aged)
    with Path(device_of(aged).path or "").open("r+b") as device:
        device.seek(60 * MIB)
        device.write(b"before anybody watched")
    with armed(aged), mounted(aged, tmp_path / "mount") as folder:
        (folder / "trial").write_bytes(b"x")
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta is not None
    assert holding.delta.incomplete_reason == "device_changed_before"
    done(start(aged, "rollback"))
    assert digest_of(aged) == before


def test_a_trace_that_cannot_be_armed_leaves_the_device_holding_its_image(
    aged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from patina.core.failure import CoreFailed
    from patina_worker.handlers import device_action

    def _fail(*_: object, **__: object) -> None:
        raise CoreFailed("trace_unavailable", "No source works here.")

    monkeypatch.setattr(device_action, "_run", _fail)  # stands for a kernel without tracing
    action = done(start(aged, "trace"))
    assert (action.state, action.error_code, action.delta_id) == (JobState.FAILED, "trace_unavailable", None)
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta_id is None


def test_a_chunk_that_is_missing_fails_the_restore_and_the_device_holds_nothing_known(
    aged: int, make_sandbox: MakeSandbox
) -> None:
    other = make_sandbox(SIZE_BYTES)
    for chunk in settings().store_dir.rglob("*.cacnk"):
        chunk.unlink()

    action = done(start(other, "restore", image_id=image_of(aged)))

    assert (action.state, action.error_code) == (JobState.FAILED, "chunk_missing")
    assert holding_of(other) is None
    assert device_of(other).active_lease is None


def test_a_queued_action_can_be_stopped_before_it_starts(aged: int) -> None:
    action_id = start(aged, "verify", image_id=image_of(aged))
    with transaction() as session:
        job_service.stop(session=session, job_id=action_id)
    assert done(action_id).state == JobState.CANCELED
    assert device_of(aged).active_lease is None


@pytest.mark.parametrize(
    ("kind", "changes", "code"),
    [
        ("restore", {}, "image_not_named"),
        ("restore", {"image_id": 999_999}, "image_unknown"),
        ("rollback", {}, "nothing_to_roll_back"),
        ("restore", {"image_id": 1, "confirmation": {"stable_id": "other", "size_bytes": 1}}, "confirmation_mismatch"),
    ],
)
def test_what_makes_no_sense_is_refused(aged: int, kind: str, changes: dict[str, object], code: str) -> None:
    with pytest.raises(PatinaError) as raised:
        start(aged, kind, **changes)
    assert raised.value.code == code


def test_a_device_that_holds_no_image_cannot_be_traced_and_a_small_one_not_restored_to(
    aged: int, make_sandbox: MakeSandbox
) -> None:
    small = make_sandbox(64 * MIB)
    with pytest.raises(PatinaError) as untraceable:
        start(small, "trace")
    assert untraceable.value.code == "holds_no_image"
    assert "holds no image that Patina knows of" in str(untraceable.value)
    with pytest.raises(PatinaError) as too_small:
        start(small, "restore", image_id=image_of(aged))
    assert too_small.value.code == "image_too_large"


def test_a_restore_confirmed_for_other_content_writes_nothing(aged: int, make_sandbox: MakeSandbox) -> None:
    other = make_sandbox(SIZE_BYTES)
    action_id = start(other, "restore", image_id=image_of(aged))
    path = device_of(other).path or ""
    with Path(path).open("r+b") as device:
        device.write(b"precious")
    assert done(action_id).error_code == "device_changed"
    assert Path(path).read_bytes()[:8] == b"precious"


def test_one_key_starts_one_action(aged: int) -> None:
    device = device_of(aged)
    body = {
        "kind": "verify",
        "device_id": aged,
        "image_id": image_of(aged),
        "confirmation": {"stable_id": device.stable_id, "size_bytes": device.size_bytes},
    }
    with transaction() as session:
        create = ActionCreate.model_validate(body)
        first = service.start_action(session=session, create=create, idempotency_key="k").id
    with transaction() as session:
        assert service.start_action(session=session, create=create, idempotency_key="k").id == first
        of_device = ActionPage.read(Action, Action.device_id == aged, session=session, cursor=None, limit=5)
        assert of_device.items[0].id == first
        for change in ({"kind": "restore"}, {"image_id": 999}):
            other = ActionCreate.model_validate(body | change)
            with pytest.raises(PatinaError) as raised:
                service.start_action(session=session, create=other, idempotency_key="k")
            assert raised.value.code == "idempotency_key_reused"
    with transaction() as session, pytest.raises(PatinaError) as unknown:
        job_service.get_job(session=session, job_id=999_999, model=Action)
    assert unknown.value.code == "job_unknown"
    done(first)


def test_the_api_says_what_a_device_holds_and_queues_actions(aged: int) -> None:
    from fastapi.testclient import TestClient

    from patina.main import build_app

    device = device_of(aged)
    confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes}
    body = {"kind": "verify", "device_id": aged, "image_id": image_of(aged), "confirmation": confirmation}
    with TestClient(build_app(), base_url="http://127.0.0.1", headers=HEADERS) as client:
        holding = client.get(f"/api/v1/devices/{aged}/holding").json()
        assert holding["image"]["id"] == image_of(aged)
        assert holding["delta"] is None
        queued = client.post("/api/v1/actions", json=body)
        assert queued.status_code == 202
        action_id = queued.json()["id"]
        assert queued.headers["Location"] == f"/api/v1/actions/{action_id}"
        busy = client.post("/api/v1/actions", json=body)
        assert (busy.status_code, busy.json()["code"]) == (409, "device_busy")
        assert f"verify {action_id}" in busy.json()["detail"]
        assert client.get(f"/api/v1/actions/{action_id}").json()["state"] == "queued"
        assert client.get("/api/v1/actions", params={"device_id": aged}).json()["items"][0]["id"] == action_id
        stopped = client.post(f"/api/v1/jobs/{action_id}/stop")
        assert (stopped.status_code, stopped.json()["state"]) == (202, "canceled")
        assert client.get("/api/v1/devices/999999/holding").status_code == 404
