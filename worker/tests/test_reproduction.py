"""The recipe of an image, carried out again on a device: the same plan, and where the file system allows it the same
layout."""

import pytest
from sqlalchemy import select

from fixture_types import MIB, MakeSandbox, StartRun
from observe import device_of, run_of
from patina.db import transaction
from patina.image import reproduction
from patina.image.models import Image
from patina.image.reproduction import NotAReproduction
from patina.job.state import JobState
from patina.run.schemas import Confirmation
from patina.use_case.reproduce_image import ReproductionCreate, reproduce_image


def _work(run_id: int) -> None:
    from patina_worker import tasks

    tasks.work(run_id)
    run = run_of(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)


def _reproduce(image_id: int, device_id: int) -> int:
    device = device_of(device_id)
    confirmation = Confirmation(stable_id=device.stable_id, size_bytes=device.size_bytes, typed=device.path)
    create = ReproductionCreate(device_id=device_id, confirmation=confirmation)
    with transaction() as session:
        image = session.get_one(Image, image_id)
        return reproduce_image(session=session, image=image, create=create, idempotency_key=None).id


def _image_of(run_id: int) -> int:
    with transaction() as session:
        return session.scalars(select(Image.id).where(Image.run_id == run_id)).one()


def test_the_same_recipe_has_the_same_plan_and_the_layouts_are_compared(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """The layouts are equal nearly always; that is measured, not guaranteed (docs/design.md)."""
    device_id = make_sandbox(64 * MIB)
    first_id = start_run(device_id, "steady", max_rmse=0.2)
    _work(first_id)
    again_id = _reproduce(_image_of(first_id), make_sandbox(64 * MIB))
    assert run_of(again_id).settings == run_of(first_id).settings
    _work(again_id)
    with transaction() as session:
        image = session.get_one(Image, _image_of(again_id))
        found = reproduction.compare(session=session, image=image)
        assert found.image.id == _image_of(first_id)
        assert found.has_same_plan is True
        assert found.layout_digest is not None
        assert found.has_same_layout is (found.layout_digest == found.layout_digest_before)
        assert found.has_same_extents is not None
        assert found.differences == []
        with pytest.raises(NotAReproduction):
            reproduction.compare(session=session, image=session.get_one(Image, found.image.id))


def test_another_size_is_named_as_the_difference(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    first_id = start_run(make_sandbox(64 * MIB), "steady", max_rmse=0.2)
    _work(first_id)
    again_id = _reproduce(_image_of(first_id), make_sandbox(96 * MIB))
    _work(again_id)
    with transaction() as session:
        found = reproduction.compare(session=session, image=session.get_one(Image, _image_of(again_id)))
        assert (found.has_same_plan, found.has_same_layout) == (False, False)
        changed = {difference.name: difference for difference in found.differences}
        assert (changed["device_size_bytes"].before, changed["device_size_bytes"].now) == (
            str(64 * MIB),
            str(96 * MIB),
        )
