"""Options of mkfs and mount that a user adds: in use, in the recipe, and refused before the device is written to."""

import subprocess

import pytest
from sqlalchemy import select, update

from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, run_of
from patina.db import transaction
from patina.image import reproduction
from patina.image.models import Image
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.schemas import Confirmation
from patina.use_case.reproduce_image import ReproductionCreate, reproduce_image
from patina_worker.host import file_system
from test_device_action import digest_of, done, start


def _work(run_id: int) -> Run:
    from patina_worker import tasks

    tasks.work(run_id)
    return run_of(run_id)


def _image_of(run_id: int) -> Image:
    with transaction() as session:
        return session.scalars(select(Image).where(Image.run_id == run_id)).one()


@pytest.mark.parametrize(
    ("name", "mkfs", "mount", "feature"),
    [
        ("ext4", "-i 8192 -O ^metadata_csum -E stride=16", "nodelalloc", "metadata_csum"),
        ("ext4", "-b 1024", "", ""),
        ("ext4", "-O ^has_journal", "", "has_journal"),
        ("xfs", "-m reflink=0", "allocsize=64k", "REFLINK"),
        ("btrfs", "-n 4096 --csum xxhash -R ^free-space-tree", "compress=zstd:3", "FREE_SPACE_TREE"),
    ],
)
def test_a_run_makes_and_mounts_with_the_added_options_and_its_image_gives_the_device_back(
    name: str, mkfs: str, mount: str, feature: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    size_bytes = {"xfs": 304 * MIB, "btrfs": 160 * MIB}.get(name, 64 * MIB)
    device_id, other_id = make_sandbox(size_bytes), make_sandbox(size_bytes)
    run = _work(
        start_run(device_id, file_system=name, fullness=0.2, added_mkfs_options=mkfs, added_mount_options=mount)
    )
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert run.recipe is not None
    assert (run.recipe["added_mkfs_options"], run.recipe["added_mount_options"]) == (mkfs, mount)
    assert run.recipe["mount_options"] == file_system.mount_options(name, "faithful", mount)
    if mount:
        assert run.recipe["mount_options"].endswith(f",{mount}")
    command = " ".join(run.recipe["mkfs_command"])
    assert all(word in command for word in mkfs.split() if word.startswith("-"))
    if feature:
        assert feature not in run.recipe["mkfs_features"]
    done(start(other_id, "restore", image_id=_image_of(run.id).id))
    assert digest_of(other_id) == digest_of(device_id)
    assert_device_is_free(device_id)


def test_a_recipe_that_is_carried_out_again_has_the_added_options(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    added = {"added_mkfs_options": "-i 8192", "added_mount_options": "nodelalloc"}
    first = _work(start_run(make_sandbox(64 * MIB), "steady", max_rmse=0.2, **added))
    assert first.state == JobState.SUCCEEDED, (first.message, first.error_log)
    device = device_of(make_sandbox(64 * MIB))
    confirmation = Confirmation(stable_id=device.stable_id, size_bytes=device.size_bytes, typed=device.path)
    create = ReproductionCreate(device_id=device.id, confirmation=confirmation)
    with transaction() as session:
        image = session.get_one(Image, _image_of(first.id).id)
        again_id = reproduce_image(session=session, image=image, create=create, idempotency_key=None).id
    again = _work(again_id)
    assert again.state == JobState.SUCCEEDED, (again.message, again.error_log)
    assert again.settings == first.settings
    plain = _work(start_run(make_sandbox(64 * MIB), "steady", max_rmse=0.2))
    with transaction() as session:
        image = session.get_one(Image, _image_of(again.id).id)
        assert reproduction.compare(session=session, image=image).differences == []
        other = session.get_one(Image, _image_of(plain.id).id)
        other.reproduces_id = image.id
        named = {difference.name for difference in reproduction.compare(session=session, image=other).differences}
        assert {"added_mkfs_options", "added_mount_options", "mkfs_command", "mount_options"} <= named
        session.rollback()


def _held(make_sandbox: MakeSandbox) -> tuple[int, str]:
    """Returns a device with a file system, and the digest of its content."""
    device_id = make_sandbox(64 * MIB)
    subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)
    return device_id, digest_of(device_id)


@pytest.mark.parametrize(
    ("added", "code"),
    [
        ({"added_mount_options": "data=journal"}, "mount_failed"),  # the mode faithful mounts without the journal
        ({"added_mkfs_options": "-I 100"}, "mkfs_failed"),
    ],
)
def test_options_that_the_host_refuses_end_the_run_before_the_device_is_written_to(
    added: dict[str, str], code: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, before = _held(make_sandbox)
    run = _work(start_run(device_id, **added))
    assert (run.state, run.error_code) == (JobState.FAILED, code), run.message
    assert "is as it was" in run.message
    assert digest_of(device_id) == before
    assert_device_is_free(device_id)


@pytest.mark.parametrize(
    "written", [{"added_mkfs_options": "-J device=sdb"}, {"added_mount_options": "journal_dev=2049"}]
)
def test_options_of_a_row_that_no_request_can_have_written_are_refused(
    written: dict[str, str], make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, before = _held(make_sandbox)
    run_id = start_run(device_id)
    with transaction() as session:
        run = session.get_one(Run, run_id)
        session.execute(update(Run).where(Run.id == run_id).values(settings=run.settings | written))
    run = _work(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "options_refused"), run.message
    assert digest_of(device_id) == before
    assert_device_is_free(device_id)


def test_the_image_has_the_name_that_the_run_chose(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    run_ids = [start_run(make_sandbox(64 * MIB), image_name="before-the-change") for _ in range(2)]
    for run_id in run_ids:
        assert _work(run_id).state == JobState.SUCCEEDED
    assert [_image_of(run_id).name for run_id in run_ids] == ["before-the-change", "before-the-change-2"]
