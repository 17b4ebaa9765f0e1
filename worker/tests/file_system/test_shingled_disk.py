"""Runs and trials on shingled disks: the disk gives the options, the recipe names them, the image gives it back."""

from itertools import pairwise

import pytest
from sqlalchemy import select

import trials
from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, device_of, run_of
from patina.db import transaction
from patina.image.models import Image
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.schemas import Confirmation
from patina.use_case.reproduce_image import ReproductionCreate, reproduce_image
from patina_worker.host import file_system
from test_device_action import digest_of, done, start

SIZE_BYTES = 160 * MIB
DISKS: list[tuple[dict[str, object], str, str]] = [
    (
        {"interface": "caveat", "did_blocks": 32, "dnor_blocks": 4, "policy": "first"},
        "--interface caveat --did 32 --dnor 4",
        "policy=first",
    ),
    (
        {"interface": "strict-append", "did_blocks": 8, "band_bytes": 8 * MIB, "clean": "oldest"},
        "--interface strict-append --did 8 --band 8MiB",
        "clean=oldest",
    ),
]


def _work(run_id: int) -> Run:
    from patina_worker import tasks

    tasks.work(run_id)
    run = run_of(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    return run


def _image_of(run_id: int) -> Image:
    with transaction() as session:
        return session.scalars(select(Image).where(Image.run_id == run_id)).one()


@pytest.mark.parametrize(("shingle", "mkfs", "mount"), DISKS)
def test_a_run_on_a_shingled_disk_has_its_options_and_its_image_is_made_again(
    shingle: dict[str, object], mkfs: str, mount: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, other_id = (make_sandbox(SIZE_BYTES, shingle=shingle) for _ in range(2))
    asked = {"file_system": "smrfs", "data_mode": "write", "fullness": 0.2}
    run = _work(start_run(device_id, **asked))
    recipe = run.recipe
    assert recipe is not None
    options, command = mkfs.split(), recipe["mkfs_command"]
    assert set(zip(options[::2], options[1::2], strict=True)) <= set(pairwise(command))
    assert recipe["mount_options"].endswith(f",{mount}")
    assert (recipe["added_mkfs_options"], recipe["added_mount_options"]) == (mkfs, mount)
    image = _image_of(run.id)
    done(start(other_id, "restore", image_id=image.id))
    assert digest_of(other_id) == digest_of(device_id)
    file_system.require_clean("smrfs", device_of(other_id).path or "")
    assert_device_is_free(device_id)

    plain = device_of(make_sandbox(SIZE_BYTES))
    confirmation = Confirmation(stable_id=plain.stable_id, size_bytes=plain.size_bytes, typed=plain.path)
    create = ReproductionCreate(device_id=plain.id, confirmation=confirmation)
    with transaction() as session:
        image = session.get_one(Image, image.id)
        again_id = reproduce_image(session=session, image=image, create=create, idempotency_key=None).id
    again = _work(again_id)
    assert again.settings == run.settings
    assert again.recipe is not None
    assert again.recipe["mkfs_command"][:-1] == recipe["mkfs_command"][:-1]  # the last word is the device
    assert again.recipe["mount_options"] == recipe["mount_options"]


@pytest.mark.parametrize(("shingle", "mkfs", "mount"), DISKS)
def test_a_trial_on_a_shingled_disk_mounts_with_its_option(
    shingle: dict[str, object], mkfs: str, mount: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, shingle=shingle)
    _work(start_run(device_id, file_system="smrfs", data_mode="write", fullness=0.2))
    trial_id = trials.start(device_id, [{"kind": "find"}])
    trial = trials.done(trial_id)
    assert trial.state == JobState.SUCCEEDED, trial.message
    found = [each.measurement.mount_options for each in trials.measured(trial_id) if each.measurement]
    assert found
    assert {options.split(",")[-1] for options in found} == {mount}


def test_the_time_of_an_emulated_shingled_disk_is_predicted(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    emulation = {"model": "hitachi-80gb", "keeps_all": True}
    device_id = make_sandbox(SIZE_BYTES, emulation=emulation, shingle=DISKS[0][0])
    run = _work(start_run(device_id, file_system="smrfs", data_mode="write", fullness=0.2))
    assert run.prediction is not None
    assert run.settings["capture_mode"] == "allocated"
    file_system.require_clean("smrfs", device_of(device_id).path or "")
