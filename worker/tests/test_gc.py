"""Deleting images, undeleting them, and collecting garbage, on a real store."""

import fcntl
import os
import shutil
import threading
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, payloads_of, run_of, wait_for_end
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.delta import service as delta_service
from patina.delta.models import Holding
from patina.errors import PatinaError
from patina.gc import service
from patina.host.models import Host
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings
from patina.use_case import delete_image as deletion
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.wait import wait_until

SIZE_BYTES = 64 * MIB


@pytest.fixture
def image_ids(make_sandbox: MakeSandbox, start_run: StartRun) -> list[int]:
    """Returns two images of one device that share most of their chunks; the device holds the second."""
    from patina_worker import tasks

    shutil.rmtree(settings().store_dir, ignore_errors=True)  # of other tests
    device_id = make_sandbox(SIZE_BYTES)
    ids = []
    for fullness in (0.5, 0.4):
        run_id = start_run(device_id, fullness=fullness)
        tasks.work(run_id)
        assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
        with transaction() as session:
            ids.append(session.query(Image).filter_by(run_id=run_id).one().id)
    return ids


def collected(*, is_dry_run: bool = False) -> Job:
    """Runs a collection in this process."""
    from patina_worker import tasks

    with transaction() as session:
        collection_id = service.request_collection(session=session, host_name=None, is_dry_run=is_dry_run).id
    tasks.work(collection_id)
    with transaction() as session:
        return session.get_one(Job, collection_id)


def long_ago() -> None:
    """Dates the last use of every chunk and index, and every deletion, to the year 2001."""
    for folder in (settings().store_dir, settings().index_dir):
        for file in folder.rglob("*.ca*"):
            os.utime(file, (1e9, 1e9))
    with transaction() as session:
        then = datetime.now(UTC) - timedelta(days=9000)
        session.execute(update(Image).where(Image.deleted_at.is_not(None)).values(deleted_at=then))


def chunks_count() -> int:
    return len(list(settings().store_dir.rglob("*.cacnk")))


def test_a_deleted_image_goes_with_what_it_alone_had_and_the_others_stay_whole(image_ids: list[int]) -> None:
    from patina.image.download import chunk_store, open_index

    first, second = image_ids
    with transaction() as session:
        told = deletion.describe_deletion(session=session, image_id=first)
        deletion.delete_image(session=session, image_id=first)
    assert told.frees_bytes
    assert told.devices == []
    long_ago()
    before = chunks_count()

    dry = collected(is_dry_run=True)
    real = collected()

    assert dry.result is not None
    assert real.result is not None
    assert {**dry.result, "dry_run": False, "elapsed_s": 0} == {**real.result, "elapsed_s": 0}
    assert real.result["removed_bytes"] == told.frees_bytes
    assert before - chunks_count() == real.result["removed_chunks_count"] == told.frees_chunks_count
    with transaction() as session:
        image = session.get_one(Image, second)
        with open_index(image.index_name, image.index_digest) as index:
            assert all(chunk_store().stat(entry.digest) for entry in index.entries())
        assert not (settings().index_dir / session.get_one(Image, first).index_name).exists()


def test_within_the_grace_period_nothing_goes_and_the_image_can_be_brought_back(image_ids: list[int]) -> None:
    first, _ = image_ids
    with transaction() as session:
        deletion.delete_image(session=session, image_id=first)
    for file in settings().store_dir.rglob("*.cacnk"):
        os.utime(file, (1e9, 1e9))
    before = chunks_count()
    assert collected().state == JobState.SUCCEEDED
    assert chunks_count() == before
    with transaction() as session:
        deletion.bring_back(session=session, image_id=first)
        assert deletion.describe_deletion(session=session, image_id=first).frees_bytes


def test_an_image_whose_grace_period_is_over_cannot_be_brought_back_and_no_device_holds_it(
    image_ids: list[int],
) -> None:
    _, second = image_ids
    with transaction() as session:
        assert deletion.describe_deletion(session=session, image_id=second).devices == [device_of(1).path]
        deletion.delete_image(session=session, image_id=second)
    long_ago()
    assert collected().state == JobState.SUCCEEDED
    with transaction() as session:
        assert session.get(Holding, 1) is None
        with pytest.raises(PatinaError) as raised:
            deletion.bring_back(session=session, image_id=second)
    assert raised.value.code == "image_unknown"


def test_an_image_that_is_being_worked_with_is_not_deleted(image_ids: list[int], start_run: StartRun) -> None:
    start_run(1)
    with transaction() as session, pytest.raises(PatinaError) as raised:
        deletion.delete_image(session=session, image_id=image_ids[1])
    assert raised.value.code == "image_in_use"


def test_an_index_that_cannot_be_read_fails_the_collection_and_nothing_goes(image_ids: list[int]) -> None:
    with transaction() as session:
        index = settings().index_dir / session.get_one(Image, image_ids[0]).index_name
    index.write_bytes(b"not an index")
    long_ago()
    before = chunks_count()
    collection = collected()
    assert (collection.state, collection.error_code) == (JobState.FAILED, "index_invalid")
    assert chunks_count() == before


def test_an_image_that_is_being_restored_is_not_deleted(image_ids: list[int], make_sandbox: MakeSandbox) -> None:
    from test_device_action import start

    action_id = start(make_sandbox(SIZE_BYTES), "restore", image_id=image_ids[0])
    with transaction() as session, pytest.raises(PatinaError) as raised:
        deletion.delete_image(session=session, image_id=image_ids[0])
    assert raised.value.code == "image_in_use"
    assert f"restore {action_id}" in raised.value.message


def test_a_collection_that_fails_unexpectedly_does_not_keep_the_next_from_starting(host_id: int) -> None:
    shutil.rmtree(settings().index_dir, ignore_errors=True)
    settings().index_dir.write_text("no folder")
    try:
        collection = collected()
        assert (collection.state, collection.error_code) == (JobState.FAILED, "internal")
    finally:
        settings().index_dir.unlink()
    assert collected().state == JobState.SUCCEEDED


def test_what_a_dead_capture_left_behind_goes(image_ids: list[int]) -> None:
    stray = settings().index_dir / "run-9-deadbeef.caibx"
    stray.write_bytes(b"x")
    os.utime(stray, (1e9, 1e9))
    assert collected(is_dry_run=True).state == JobState.SUCCEEDED
    assert stray.exists()
    collected()
    assert not stray.exists()


def test_the_delta_that_a_device_holds_stays_and_the_others_go(
    image_ids: list[int], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    open_id = start_run(make_sandbox(SIZE_BYTES))
    held, rolled_back, young = "job-1-held.delta", "job-2-done.delta", "job-3-young.delta"
    of_killed, of_open = "job-4-killed.trace", f"job-{open_id}-begun.trace"
    settings().delta_dir.mkdir(exist_ok=True)
    files = (held, rolled_back, young, of_killed, of_open)
    for name in files:
        file = settings().delta_dir / name
        file.write_bytes(b"x")
        if name != young:
            os.utime(file, (1e9, 1e9))
    with transaction() as session:
        delta_service.hold(session=session, device_id=device_id, image_id=image_ids[0], generation="")
        holding = delta_service.require_held(session=session, device_id=device_id)
        delta_service.expect(session=session, holding=holding, file_name=held)

    collected(is_dry_run=True)
    assert (settings().delta_dir / rolled_back).exists()
    collected()

    left = {name for name in files if (settings().delta_dir / name).exists()}
    assert left == {held, young, of_open}


def test_a_host_collects_once_at_a_time_and_by_itself_once_a_period(host_id: int) -> None:
    from patina_worker import gc_clock
    from patina_worker.jobs import recovery

    with transaction() as session:
        host = session.get_one(Host, host_id)
        assert not gc_clock.schedule(session=session, host=host), "it has only just come"
        host.created_at = datetime.now(UTC) - timedelta(days=9)
        session.flush()
        assert gc_clock.schedule(session=session, host=host)
        assert not gc_clock.schedule(session=session, host=host)
        with pytest.raises(PatinaError) as raised:
            service.request_collection(session=session, host_name=None, is_dry_run=False)
    assert raised.value.code == "job_under_way"
    with transaction() as session:
        session.execute(update(Job).values(state=JobState.RUNNING))
    recovery.interrupt_dead_work(host_id=host_id, known_dead=())
    with transaction() as session:
        assert session.query(Job).one().state == JobState.INTERRUPTED


def _says_that_it_waits(run_id: int) -> bool:
    return any("chunks are being removed" in str(payload.get("message")) for payload in payloads_of(run_id))


def test_a_capture_waits_for_a_collection_and_a_collection_is_refused_while_one_captures(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    settings().store_dir.mkdir(parents=True, exist_ok=True)
    run_id = start_run(make_sandbox(SIZE_BYTES))
    store = os.open(settings().store_dir, os.O_RDONLY)
    try:
        fcntl.flock(store, fcntl.LOCK_EX)  # as a collection does
        aging = threading.Thread(target=tasks.work, args=(run_id,))
        aging.start()
        wait_until("the capture is refused", lambda: _says_that_it_waits(run_id))
        assert (run_of(run_id).state, run_of(run_id).phase) == (JobState.RUNNING, Phase.CAPTURE)
        fcntl.flock(store, fcntl.LOCK_UN)
        aging.join()
        assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
        fcntl.flock(store, fcntl.LOCK_SH)  # as a capture does
        collection = collected()
        assert (collection.state, collection.error_code) == (JobState.FAILED, "store_busy")
    finally:
        os.close(store)


def test_a_run_is_canceled_while_its_capture_waits_for_a_collection(
    age_here: AgeHere, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    settings().store_dir.mkdir(parents=True, exist_ok=True)
    run_id = start_run(make_sandbox(SIZE_BYTES))
    store = os.open(settings().store_dir, os.O_RDONLY)
    try:
        fcntl.flock(store, fcntl.LOCK_EX)  # as a collection does
        age_here(run_id)
        wait_until("the capture is refused", lambda: _says_that_it_waits(run_id))
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        run = wait_for_end(run_id)
    finally:
        os.close(store)
    assert run.state == JobState.CANCELED, (run.message, run.error_log)
    assert_device_is_free(run.device_id)


def test_the_api_deletes_brings_back_and_collects(image_ids: list[int]) -> None:
    from patina.main import build_app

    with TestClient(build_app(), base_url="http://127.0.0.1", headers=HEADERS) as client:
        address = f"/api/v1/images/{image_ids[0]}"
        assert client.get(f"{address}/deletion").json()["frees_chunks_count"] > 0
        assert client.delete(address).status_code == 204
        assert client.get(address).status_code == 404
        assert [image["id"] for image in client.get("/api/v1/images").json()["items"]] == [image_ids[1]]
        assert client.post(f"{address}/bring-back").status_code == 204
        assert client.get(address).status_code == 200
        answer = client.post("/api/v1/collections", json={"is_dry_run": True})
        assert (answer.status_code, answer.json()["state"]) == (202, "queued")
        assert client.get("/api/v1/jobs?kind=collection").json()["items"][0]["id"] == answer.json()["id"]
