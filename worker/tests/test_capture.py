"""Captures in all modes, and the proof of an image before it is published."""

import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from fixture_types import MIB, MakeSandbox, StartRun
from gates import Gate, Gates
from observe import assert_device_is_free, device_of, payloads_of, run_of, wait_for_end, wait_for_phase
from patina.core.contract.age import CaptureMode, Layout
from patina.core.contract.phase import Phase
from patina.core.failure import CoreFailed
from patina.db import transaction
from patina.image import service as image_service
from patina.image.models import Image
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.loop_files import loop_files
from patina_worker.failure import FsckFailed, ImageDiffers, LoopFailed, ScratchNoSpace
from patina_worker.handlers.aging import baseline
from patina_worker.host import loop_device
from patina_worker.host.device_node import held
from patina_worker.host.layout import measure_layout
from patina_worker.store.capture import Captured, capture
from patina_worker.store.contents_check import prove
from patina_worker.store.exchange import Observer
from test_device_action import digest_of, done, holding_of, start
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB
SECRET = b"what was deleted must not be found again"


def _never() -> bool:
    return False


def _aged_image(run_id: int) -> Image:
    from patina_worker import tasks

    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    with transaction() as session:
        return session.scalars(select(Image).where(Image.run_id == run_id, Image.parent_id.is_(None))).one()


@pytest.mark.parametrize("mode", ["exact", "allocated", "metadata"])
def test_an_aged_device_equals_its_image_in_every_mode(
    mode: CaptureMode, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, other_id = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)

    image = _aged_image(start_run(device_id, data_mode="write", capture_mode=mode))

    assert image.mode == mode
    done(start(other_id, "restore", image_id=image.id))
    assert digest_of(other_id) == digest_of(device_id)
    assert done(start(device_id, "verify", image_id=image.id)).state == JobState.SUCCEEDED
    assert holding_of(device_id) is not None


def test_the_layout_of_an_aged_device_is_kept_with_its_image(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)

    image = _aged_image(run_id)

    with transaction() as session:
        kept = image_service.read_layout(session.get_one(Image, image.id))
    now = measure_layout(device_of(device_id).path or "", check=_never)
    assert kept.layout_digest == now.layout_digest
    assert kept.files is not None
    assert image.summary is not None
    assert kept.files.files_count == image.summary["live_files_count"]
    assert image.is_readable
    assert kept.baseline is not None
    assert kept.baseline.unaged_files is not None
    assert kept.baseline.unaged_files.files_count == kept.files.files_count
    assert (
        kept.baseline.fresh.extents_count <= kept.baseline.unaged_free.extents_count < kept.free_extents.extents_count
    )
    assert not list((settings().state_dir / "checkpoints").glob("*.survivors*"))
    assert any("Layout measured" in str(payload.get("message")) for payload in payloads_of(run_id))


@pytest.fixture
def filled(make_sandbox: MakeSandbox, tmp_path: Path) -> str:
    """Returns the path of a device with an ext4 that has files, and had others."""
    path = device_of(make_sandbox(SIZE_BYTES)).path or ""
    folder = tmp_path / "filled"
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-b", "1024", path], check=True)
    subprocess.run(["mount", path, folder], check=True)
    try:
        for i in range(50):
            (folder / f"{i}").write_bytes(SECRET * 200)
        subprocess.run(["sync", "-f", folder], check=True)
        for i in range(0, 50, 2):
            (folder / f"{i}").unlink()
            (folder / f"{i + 1}").write_bytes(b"kept" * 4_000)
    finally:
        subprocess.run(["umount", folder], check=True)
    return path


def _capture(path: str, mode: CaptureMode, file_system: str | None = "ext4") -> Captured:
    with held(path) as lock:
        return capture(
            path=path,
            name=f"test-{mode}",
            file_system=file_system,
            mode=mode,
            observer=Observer(check=_never, progress=lambda *_: None, say=lambda _: None),
            lock=lock,
        )


def _indexes() -> list[Path]:
    return list(settings().index_dir.glob("*.caibx"))


def _bytes_of(captured: Captured, tmp_path: Path) -> bytes:
    copy = tmp_path / f"{captured.index_name}.img"
    index = settings().index_dir / captured.index_name
    subprocess.run(["casync", "extract", f"--store={settings().store_dir}", index, copy], check=True)
    return copy.read_bytes()


def test_nothing_of_a_deleted_file_is_in_an_allocated_image(filled: str, tmp_path: Path) -> None:
    assert SECRET in _bytes_of(_capture(filled, "exact"), tmp_path)

    captured = _capture(filled, "allocated")

    found = _bytes_of(captured, tmp_path)
    assert SECRET not in found
    assert b"kept" * 4_000 in found


@contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_no_space_to_check_an_image_publishes_none(filled: str) -> None:
    with _small_disk(settings().scratch_dir, "64k"), pytest.raises(ScratchNoSpace) as raised:
        _capture(filled, "allocated")

    assert raised.value.code == "scratch_no_space"
    assert str(settings().scratch_dir) in raised.value.message
    assert _indexes() == []
    assert _capture(filled, "exact").layout is not None  # needs no scratch space


def test_an_image_without_a_baseline_is_an_image_all_the_same(
    make_sandbox: MakeSandbox, start_run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "METADATA_SHARE", 1e9)
    run_id = start_run(make_sandbox(SIZE_BYTES))

    image = _aged_image(run_id)

    with transaction() as session:
        assert image_service.read_layout(session.get_one(Image, image.id)).baseline is None
    assert any("Baseline not measured: it takes" in str(payload.get("message")) for payload in payloads_of(run_id))


def test_a_baseline_that_fails_is_logged_and_costs_no_image(
    make_sandbox: MakeSandbox, start_run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _refused(*_: object, **__: object) -> None:
        raise LoopFailed("No loop device for run-1: all of them are taken.")

    monkeypatch.setattr(baseline, "_measured", _refused)
    run_id = start_run(make_sandbox(SIZE_BYTES))

    _aged_image(run_id)

    said = [str(payload.get("message")) for payload in payloads_of(run_id)]
    assert "Baseline not measured: No loop device for run-1: all of them are taken." in said


def test_what_was_allocated_alone_is_not_readable(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    how = {"mode": "unbounded", "data_mode": "fallocate"}
    assert _aged_image(start_run(make_sandbox(SIZE_BYTES), **how)).is_readable is False


def _prove(captured: Captured, layout: Layout) -> None:
    index = settings().index_dir / captured.index_name
    prove(index=index, file_system="ext4", summary=captured.summary, layout=layout, check=_never)


def test_an_image_with_another_layout_than_its_device_is_refused(
    filled: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    aged_id = make_sandbox(SIZE_BYTES)
    _aged_image(start_run(aged_id))
    captured = _capture(filled, "allocated")

    with pytest.raises(ImageDiffers) as raised:
        _prove(captured, measure_layout(device_of(aged_id).path or "", check=_never))

    assert raised.value.code == "image_differs"


def test_an_image_that_does_not_check_clean_is_refused(filled: str) -> None:
    layout = measure_layout(filled, check=_never)
    subprocess.run(["debugfs", "-w", "-R", "clri 1", filled], check=True, capture_output=True)
    captured = _capture(filled, "exact", file_system=None)

    with pytest.raises(FsckFailed) as raised:
        _prove(captured, layout)

    assert raised.value.code == "fsck_failed"


def test_a_file_system_with_a_journal_to_replay_is_captured_whole_or_not_at_all(filled: str) -> None:
    subprocess.run(["debugfs", "-w", "-R", "feature needs_recovery", filled], check=True, capture_output=True)

    assert _capture(filled, "exact").layout is None

    with pytest.raises(CoreFailed) as raised:
        _capture(filled, "allocated")
    assert raised.value.code == "device_unusable"


def test_a_proof_leaves_no_file_and_no_loop_device(filled: str, loops: Callable[[], list[str]]) -> None:
    _capture(filled, "allocated")

    assert loops() == []
    assert list(settings().scratch_dir.iterdir()) == []


@pytest.fixture
def loops() -> Callable[[], list[str]]:
    """Returns a function that lists the backing files of loop devices over files in the scratch folder."""

    def _list() -> list[str]:
        return [file for file in loop_files().values() if file.startswith(str(settings().scratch_dir))]

    return _list


def test_what_is_no_file_gets_no_loop_device() -> None:
    read, write = os.pipe()
    try:
        with pytest.raises(LoopFailed) as raised, loop_device.attached(read, "a pipe"):
            pass
    finally:
        os.close(read)
        os.close(write)

    assert raised.value.code == "loop_failed"


def _verify_every_image() -> int:
    """Verifies each image's index by its digest and every chunk by its bytes. Returns the number of images."""
    with transaction() as session:
        images = session.query(Image).all()
    for image in images:
        index = settings().index_dir / image.index_name
        argv = [str(settings().core), "verify", "--index", str(index), "--index-digest", image.index_digest]
        subprocess.run([*argv, "--store", str(settings().store_dir)], check=True, capture_output=True)
    return len(images)


def test_no_image_lacks_a_chunk_whenever_the_worker_is_killed(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """Kills at a chunk, before and after the index is durable, and during the proof: each run goes on twice."""
    moments = random.Random(4)
    device_id = make_sandbox(SIZE_BYTES)

    def _kill_while_it_captures(run_id: int, gate: Gate) -> None:
        with gate.held(run_id):
            wait_for_phase(run_id, Phase.CAPTURE)
            worker.end(signal.SIGKILL)
        worker.start()
        worker.wait_until_ready()

    worker.start()
    for points in (
        (f"capture.piece-{moments.randrange(1, 40)}", "capture.end"),
        ("capture.publish", f"restore-file.piece-{moments.randrange(1, 40)}"),
    ):
        closed = [gates.close(point) for point in points]
        run_id = start_run(device_id, data_mode="write")
        for gate in closed:
            _kill_while_it_captures(run_id, gate)
        run = wait_for_end(run_id)
        assert run.state == JobState.SUCCEEDED, run.message
        _verify_every_image()
        assert_device_is_free(device_id)
    worker.end(signal.SIGTERM)

    _aged_image(start_run(device_id, data_mode="write"))
    assert _verify_every_image() >= 1
