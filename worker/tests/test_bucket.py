"""The bucket and two hosts: captures sent, images fetched, garbage collected, and their failures."""

import hashlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, text, update

from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, payloads_of, run_of
from patina.bucket.client import Bucket, BucketObject, bucket
from patina.core.contract.phase import Phase
from patina.db import engine, transaction
from patina.delta.models import Holding
from patina.device_action.models import Action
from patina.gc import service as collection_service
from patina.image.chunk import chunk_of_path, relative_path
from patina.image.download import open_index
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import forget_settings, settings
from patina.use_case import delete_image as deletion
from patina_dev.testing.bucket import BUCKET, BucketServer, Fate
from patina_dev.testing.store import index_bytes, write_chunk
from patina_dev.testing.wait import HANG_S, wait_until
from test_device_action import start
from worker_process import WorkerProcess


def opened() -> Bucket:
    found = bucket()
    assert found is not None
    return found


def objects(folder: str) -> dict[str, BucketObject]:
    return {found.path.removeprefix(f"{folder}/"): found for page in opened().pages(folder) for found in page}


def image_of(run_id: int) -> Image:
    with transaction() as session:
        return session.query(Image).filter_by(run_id=run_id).one()


def chunks_of(image: Image) -> set[str]:
    """Returns the paths in a store of the chunks that the image's index names."""
    with open_index(image.index_name, image.index_digest) as index:
        return {relative_path(entry.digest) for entry in index.entries()}


def aged(device_id: int, start_run: StartRun, **changes: object) -> Image:
    from patina_worker import tasks

    run_id = start_run(device_id, **changes)
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    return image_of(run_id)


def done(device_id: int, kind: str, image_id: int | None = None) -> Action:
    from patina_worker import tasks

    action_id = start(device_id, kind, image_id=image_id)
    tasks.work(action_id)
    with transaction() as session:
        return session.get_one(Action, action_id)


def collected(*, is_dry_run: bool = False) -> Job:
    from patina_worker import tasks

    with transaction() as session:
        request = collection_service.request_collection
        collection_id = request(session=session, host_name=settings().host_name, is_dry_run=is_dry_run).id
    tasks.work(collection_id)
    with transaction() as session:
        return session.get_one(Job, collection_id)


def sha256_of(device_id: int) -> str:
    path = device_of(device_id).path
    assert path is not None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@pytest.fixture(autouse=True)
def _empty_store(remote: BucketServer) -> Iterator[None]:
    """Empties the folders of other tests' files."""
    for folder in (settings().store_dir, settings().index_dir):
        shutil.rmtree(folder, ignore_errors=True)
    yield
    for folder in (settings().store_dir, settings().index_dir):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def other_host(host_id: int, tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Yields a function that makes this process another host, with its own folder and the same database and bucket."""
    from patina_worker import cleanup
    from patina_worker.app import app
    from patina_worker.heartbeat import report

    with pytest.MonkeyPatch.context() as patch:

        def _become() -> None:
            patch.setenv("PATINA_STATE_DIR", str(tmp_path / "other"))
            patch.setenv("PATINA_HOST_NAME", "other")
            forget_settings()
            # This process is a worker as well, and has only the queue of its own host.
            patch.setattr(app.amqp.queues, "create_missing", True)
            report()

        yield _become
        cleanup.clean_up()
    forget_settings()


def grow_old() -> None:
    """Dates the last use of every chunk and index in the folders, and every deletion, to the year 2001."""
    for folder in (settings().store_dir, settings().index_dir):
        for file in folder.rglob("*.ca*"):
            os.utime(file, (1e9, 1e9))
    with transaction() as session:
        then = datetime.now(UTC) - timedelta(days=9000)
        session.execute(update(Image).where(Image.deleted_at.is_not(None)).values(deleted_at=then))


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes objects in the bucket old at once: their times cannot be set."""
    from patina_worker.store import bucket_gc, send

    monkeypatch.setattr(bucket_gc, "datetime", _InTwoDays)
    monkeypatch.setattr(send, "datetime", _InTwoDays)


class _InTwoDays(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "_InTwoDays":
        return super().now(tz) + timedelta(days=2)


def test_a_captured_image_is_whole_in_the_bucket_before_it_is_in_the_catalog(
    make_sandbox: MakeSandbox, start_run: StartRun, remote: BucketServer
) -> None:
    image = aged(make_sandbox(), start_run)
    assert chunks_of(image) == objects("store").keys()
    assert objects("index").keys() == {image.index_name}
    for path, found in objects("store").items():
        assert found.size_bytes == (settings().store_dir / path).stat().st_size
    puts = [path for method, path in remote.proxy.requests if method == "PUT"]
    assert image.index_name in puts[-1]


def test_another_host_restores_and_verifies_what_it_has_never_seen(
    make_sandbox: MakeSandbox, start_run: StartRun, other_host: Callable[[], None], remote: BucketServer
) -> None:
    first = make_sandbox()
    image = aged(first, start_run)
    original = sha256_of(first)
    other_host()
    second = make_sandbox(host_name="other")
    restored = done(second, "restore", image.id)
    assert restored.state == JobState.SUCCEEDED, restored.message
    assert sha256_of(second) == original
    assert done(second, "verify", image.id).state == JobState.SUCCEEDED

    fetched = remote.proxy.count("GET", "/store/")
    assert fetched == len(chunks_of(image))
    assert done(second, "restore", image.id).state == JobState.SUCCEEDED
    assert remote.proxy.count("GET", "/store/") == fetched, "chunks that are here are not fetched again"
    assert list(settings().store_dir.glob(".patina-*")) == []


def test_a_damaged_chunk_of_the_bucket_is_named_and_the_device_stays_as_it_was(
    make_sandbox: MakeSandbox, start_run: StartRun, other_host: Callable[[], None]
) -> None:
    image = aged(make_sandbox(), start_run)
    path = sorted(chunks_of(image))[0]
    stored = opened().get(f"store/{path}", max_bytes=MIB)
    assert stored is not None
    opened().put(f"store/{path}", stored[1][:-1] + bytes([stored[1][-1] ^ 1]))
    other_host()
    second = make_sandbox(host_name="other")
    before = sha256_of(second)
    restored = done(second, "restore", image.id)
    assert (restored.state, restored.error_code) == (JobState.FAILED, "chunk_corrupt")
    assert path[5:69] in restored.message
    assert BUCKET in restored.message
    assert sha256_of(second) == before
    assert not (settings().store_dir / path).exists()

    opened().remove([f"store/{path}"])
    restored = done(second, "restore", image.id)
    assert (restored.state, restored.error_code) == (JobState.FAILED, "chunk_missing")


def test_a_bucket_that_goes_away_in_the_middle_loses_nothing_and_a_second_try_sends_what_is_missing(
    make_sandbox: MakeSandbox, start_run: StartRun, remote: BucketServer
) -> None:
    from patina_worker import tasks

    device_id = make_sandbox()

    def _break_after_five(method: str, _path: str) -> Fate:
        return "cut" if method == "PUT" and remote.proxy.count("PUT") > 5 else "forward"

    remote.proxy.decide = _break_after_five
    run_id = start_run(device_id)
    tasks.work(run_id)
    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "bucket_unreachable")
    assert BUCKET in (run.message or "")
    assert_device_is_free(device_id)
    there = set(objects("store"))
    assert 0 < len(there) < len(list(settings().store_dir.rglob("*.cacnk")))
    with transaction() as session:
        assert session.query(Image).count() == 0

    remote.proxy.reset()
    image = aged(device_id, start_run)
    assert chunks_of(image) <= objects("store").keys()
    sent = {path.partition("/store/")[2] for method, path in remote.proxy.requests if method == "PUT"}
    assert not sent & there


@pytest.mark.parametrize("fate", ["cut", "full"])
def test_a_capture_waits_for_a_bucket_that_is_away_or_full_and_says_so(
    make_sandbox: MakeSandbox,
    start_run: StartRun,
    remote: BucketServer,
    monkeypatch: pytest.MonkeyPatch,
    fate: Fate,
) -> None:
    from patina_worker import tasks

    monkeypatch.setenv("PATINA_STORE_PATIENCE_S", "600")
    forget_settings()
    run_id = start_run(make_sandbox())

    has_said_so = threading.Event()

    def _break_until_it_says_so(method: str, _path: str) -> Fate:
        if not has_said_so.is_set() and any(
            "Trying for 600 s" in str(payload.get("message")) for payload in payloads_of(run_id)
        ):
            has_said_so.set()
        return fate if method == "PUT" and not has_said_so.is_set() else "forward"

    remote.proxy.decide = _break_until_it_says_so
    tasks.work(run_id)

    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    assert has_said_so.is_set()
    assert chunks_of(image_of(run_id)) == objects("store").keys()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"SECRET_KEY": "wrong"}, "bucket_refused"),
        ({"BUCKET": "no-such-bucket"}, "bucket_missing"),
        ({"ENDPOINT": "http://127.0.0.1:1"}, "bucket_unreachable"),
    ],
)
def test_a_bucket_that_cannot_be_used_is_found_out_before_the_device_is_touched(
    make_sandbox: MakeSandbox,
    start_run: StartRun,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    code: str,
) -> None:
    from patina_worker import tasks

    device_id = make_sandbox()
    before = sha256_of(device_id)
    for name, value in changes.items():
        monkeypatch.setenv(f"PATINA_STORE_{name}", value)
    forget_settings()
    run_id = start_run(device_id)
    tasks.work(run_id)
    assert (run_of(run_id).state, run_of(run_id).error_code) == (JobState.FAILED, code)
    assert sha256_of(device_id) == before


def test_a_cancel_ends_the_wait_for_the_bucket(
    make_sandbox: MakeSandbox, start_run: StartRun, remote: BucketServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from patina_worker import tasks

    monkeypatch.setenv("PATINA_STORE_PATIENCE_S", "600")
    forget_settings()
    remote.proxy.decide = lambda method, _path: "cut" if method == "PUT" else "forward"
    device_id = make_sandbox()
    run_id = start_run(device_id)

    def _cancel() -> None:
        wait_until("chunks are on their way", lambda: remote.proxy.count("PUT") > 0)
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)

    with ThreadPoolExecutor(1) as executor:
        canceling = executor.submit(_cancel)
        tasks.work(run_id)
        canceling.result()
    assert run_of(run_id).state == JobState.CANCELED
    assert_device_is_free(device_id)
    assert objects("index") == {}


def test_a_worker_killed_in_the_middle_leaves_garbage_and_the_next_capture_sends_the_rest(
    host_id: int, make_sandbox: MakeSandbox, start_run: StartRun, remote: BucketServer, worker: WorkerProcess
) -> None:
    from patina_worker.jobs import recovery

    device_id = make_sandbox(medium="file")
    gate = threading.Event()

    def _hold_after_five(method: str, _path: str) -> Fate:
        if method == "PUT" and remote.proxy.count("PUT") > 5:
            gate.wait(HANG_S)
            return "cut"
        return "forward"

    remote.proxy.decide = _hold_after_five
    run_id = start_run(device_id)
    worker.start()
    wait_until("the capture has begun", lambda: run_of(run_id).phase == Phase.CAPTURE)
    wait_until("chunks are on their way", lambda: remote.proxy.count("PUT") > 5)
    worker.end(signal.SIGKILL)
    gate.set()
    there = set(objects("store"))
    with transaction() as session:
        assert session.query(Image).count() == 0
    assert objects("index") == {}

    remote.proxy.reset()
    recovery.interrupt_dead_work(host_id=host_id, known_dead=recovery.active_work(host_id=host_id))
    assert run_of(run_id).state == JobState.INTERRUPTED
    image = aged(device_id, start_run)
    assert chunks_of(image) <= objects("store").keys()
    sent = {path.partition("/store/")[2] for method, path in remote.proxy.requests if method == "PUT"}
    assert not sent & there


def test_chunks_go_while_the_core_still_captures(tmp_path: Path, host_id: int, remote: BucketServer) -> None:
    """Writes the index in pieces, as the core does; a chunk that is named but not yet stored waits."""
    from patina_worker.store.send import Sender

    parts = [bytes([n]) * 4096 for n in range(6)]
    digests = [hashlib.sha256(part).digest() for part in parts]
    whole = index_bytes([(4096, digest) for digest in digests])
    index = settings().index_dir / "growing.caibx"
    index.parent.mkdir(parents=True, exist_ok=True)
    growing = Path(f"{index}.tmp")
    for part in parts[:4]:
        write_chunk(settings().store_dir, part)
    with Sender(opened()).following(index):
        growing.write_bytes(whole[: 64 + 40 * 2 + 7])
        wait_until("two are there", lambda: len(objects("store")) == 2)
        growing.write_bytes(whole)
        wait_until("four are there", lambda: len(objects("store")) == 4)
        write_chunk(settings().store_dir, parts[4])
        wait_until("five are there", lambda: len(objects("store")) == 5)
    assert {chunk_of_path(path) for path in objects("store")} == set(digests[:5])


def test_a_collection_takes_from_the_bucket_what_no_image_names_and_a_dry_run_agrees(
    make_sandbox: MakeSandbox, start_run: StartRun, no_grace: None
) -> None:
    device_id = make_sandbox()
    first, second = aged(device_id, start_run), aged(device_id, start_run, fullness=0.4)
    opened().put("store/readme", b"not ours")
    alone = chunks_of(first) - chunks_of(second)
    assert alone
    with transaction() as session:
        deletion.delete_image(session=session, image_id=first.id)
    before = objects("store").keys()
    kept = collected()
    assert kept.state == JobState.SUCCEEDED, kept.message
    assert objects("store").keys() == before, "within the grace period it can be brought back"

    grow_old()
    dry, real = collected(is_dry_run=True), collected()
    assert dry.result is not None
    assert real.result is not None
    assert dry.result["bucket"] == real.result["bucket"]
    assert real.result["bucket"]["removed_chunks_count"] == len(alone)
    assert objects("store").keys() == chunks_of(second) | {"readme"}
    assert objects("index").keys() == {second.index_name}


def test_what_is_young_stays_in_the_bucket(host_id: int) -> None:
    opened().put(f"store/{relative_path(hashlib.sha256(b'young').digest())}", b"x")
    collection = collected()
    assert collection.result is not None
    assert collection.result["bucket"]["young_chunks_count"] == 1
    assert collection.result["bucket"]["removed_chunks_count"] == 0
    assert len(objects("store")) == 1


def test_an_index_that_is_nowhere_or_not_the_images_fails_a_collection_and_nothing_goes(
    make_sandbox: MakeSandbox, start_run: StartRun, no_grace: None
) -> None:
    image = aged(make_sandbox(), start_run)
    (settings().index_dir / image.index_name).unlink()
    grow_old()
    assert collected().state == JobState.SUCCEEDED, "the bucket has it"
    assert chunks_of(image) == objects("store").keys()
    opened().put(f"index/{image.index_name}", index_bytes([]))
    collection = collected()
    assert (collection.state, collection.error_code) == (JobState.FAILED, "index_invalid")
    opened().remove([f"index/{image.index_name}"])
    collection = collected()
    assert (collection.state, collection.error_code) == (JobState.FAILED, "index_missing")
    assert objects("store")


def test_an_old_chunk_that_a_capture_uses_again_outlives_a_collection_that_had_begun(
    make_sandbox: MakeSandbox,
    start_run: StartRun,
    remote: BucketServer,
    no_grace: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The collection lists the chunk as garbage; the capture finds it; then the collection deletes it."""
    from patina_worker.store import bucket_lock

    device_id = make_sandbox()
    image = aged(device_id, start_run)
    garbage = chunks_of(image)
    with transaction() as session:  # as if its capture had died before the last step
        session.query(Holding).delete()
        session.query(Image).delete()
    opened().remove([f"index/{image.index_name}"])
    may_delete, is_about_to_delete = threading.Event(), threading.Event()

    indexes = remote.proxy.count("PUT", "/index/")

    def _hold_deletes(method: str, path: str) -> Fate:
        if method == "POST" and "delete" in path:
            is_about_to_delete.set()
            may_delete.wait(HANG_S)
        return "forward"

    remote.proxy.decide = _hold_deletes
    asks = threading.Event()
    held = bucket_lock._held

    @contextmanager
    def _held_and_told(how: str, check: Callable[[], bool]) -> Iterator[Connection]:
        def _told() -> bool:
            asks.set()
            return check()

        with held(how, _told) as connection:
            yield connection

    monkeypatch.setattr(bucket_lock, "_held", _held_and_told)
    with ThreadPoolExecutor(2) as executor:
        collecting = executor.submit(collected)
        wait_until("the collection is about to delete", is_about_to_delete.is_set)
        capturing = executor.submit(aged, device_id, start_run)
        wait_until("the capture waits for the collection", asks.is_set)
        assert remote.proxy.count("PUT", "/index/") > indexes, "its index is sent by then"
        may_delete.set()
        image, collection = capturing.result(), collecting.result()
    assert collection.state == JobState.SUCCEEDED, collection.message
    assert garbage & chunks_of(image), "there was something to lose"
    assert chunks_of(image) == objects("store").keys()


def test_a_collection_that_loses_the_database_stops_before_it_deletes(
    host_id: int, remote: BucketServer, no_grace: None
) -> None:
    opened().put(f"store/{relative_path(hashlib.sha256(b'old').digest())}", b"x")

    def _break_the_lock(method: str, path: str) -> Fate:
        if method == "GET" and "prefix=" in path and path.rstrip("/").endswith("store%2F"):
            held = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            with engine().connect() as connection:
                connection.execute(text(held))
        return "forward"

    remote.proxy.decide = _break_the_lock
    collection = collected()
    assert (collection.state, collection.error_code) == (JobState.FAILED, "bucket_lock_lost")
    assert len(objects("store")) == 1


def test_a_store_that_is_no_folder_ends_a_fetch_with_a_clear_error(
    make_sandbox: MakeSandbox, start_run: StartRun, other_host: Callable[[], None]
) -> None:
    image = aged(make_sandbox(), start_run)
    other_host()
    second = make_sandbox(host_name="other")
    settings().store_dir.write_text("no folder")
    restored = done(second, "restore", image.id)
    settings().store_dir.unlink()
    assert (restored.state, restored.error_code) == (JobState.FAILED, "store_io_error")


def test_a_stop_ends_a_fetch_and_what_has_arrived_stays_out_of_the_store(
    make_sandbox: MakeSandbox,
    start_run: StartRun,
    other_host: Callable[[], None],
    remote: BucketServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from patina_worker import tasks

    image = aged(make_sandbox(), start_run)
    monkeypatch.setenv("PATINA_STORE_PATIENCE_S", "600")
    other_host()
    action_id = start(make_sandbox(host_name="other"), "restore", image_id=image.id)
    remote.proxy.decide = lambda method, path: "cut" if method == "GET" and "/store/" in path else "forward"

    def _stop() -> None:
        wait_until("chunks are asked for", lambda: remote.proxy.count("GET", "/store/") > 0)
        with transaction() as session:
            job_service.stop(session=session, job_id=action_id)

    with ThreadPoolExecutor(1) as executor:
        stopping = executor.submit(_stop)
        tasks.work(action_id)
        stopping.result()
    with transaction() as session:
        assert session.get_one(Action, action_id).state == JobState.CANCELED
    assert list(settings().store_dir.iterdir()) == []


@given(st.lists(st.integers(1, 4096), max_size=40), st.lists(st.integers(1, 400), min_size=1))
def test_an_index_is_followed_entry_by_entry_however_it_is_cut(lengths: list[int], cuts: list[int]) -> None:
    from patina_worker.store.send import IndexBeingWritten

    entries = [(length, hashlib.sha256(bytes([n])).digest()) for n, length in enumerate(lengths)]
    whole = index_bytes(entries)
    with tempfile.TemporaryDirectory() as folder:
        growing = IndexBeingWritten(Path(folder) / "index.tmp")
        seen, place = list(growing.news()), 0
        for cut in itertools.cycle(cuts):
            with (Path(folder) / "index.tmp").open("ab") as file:
                file.write(whole[place : place + cut])
            seen += growing.news()
            place += cut
            if place >= len(whole):
                break
    assert [(entry.length_bytes, entry.digest) for entry in seen] == entries
    assert [entry.offset_bytes for entry in seen] == list(itertools.accumulate([0, *lengths[:-1]]))[: len(lengths)]


def test_a_store_without_space_ends_a_fetch_with_a_clear_error(
    make_sandbox: MakeSandbox, start_run: StartRun, other_host: Callable[[], None]
) -> None:
    image = aged(make_sandbox(), start_run)
    other_host()
    second = make_sandbox(host_name="other")
    settings().store_dir.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(settings().store_dir)], check=True)
    try:
        restored = done(second, "restore", image.id)
    finally:
        subprocess.run(["umount", str(settings().store_dir)], check=True)
    assert (restored.state, restored.error_code) == (JobState.FAILED, "store_no_space")
