"""Unaged twins: the survivors of an aged image's run, created once on a fresh file system of the same kind."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.account.visibility import seen
from patina.figures import exactly_bytes
from patina.image import service as image_service
from patina.image.models import Image
from patina.job.state import ENDED
from patina.run import service as run_service
from patina.run.models import Run
from patina.trial.arms import FRESH, NotMeasurable
from patina.trial.making import Making
from patina.trial.settings import Arm


def with_twins(*, making: Making, arms: list[Arm]) -> list[Arm]:
    """Returns the arms, with the unaged twin before the first of each file system that was aged, with its journal or
    without. A twin that is in the catalog is used; another is made first, on the same device. Raises
    OperationLogMissing where a run left no log."""
    session = making.session
    found: list[Arm] = []
    have = {(_unaged_file_system(session, arm), arm.has_journal) for arm in arms}
    for arm in arms:
        run = _run_of(session, arm)
        if run is not None and _has_twin(run) and (kind := (run.in_force.file_system, arm.has_journal)) not in have:
            have.add(kind)
            found.append(_twin(making, run).model_copy(update={"has_journal": arm.has_journal}))
        found.append(arm)
    return found


def _has_twin(run: Run) -> bool:
    """Returns whether the run aged something."""
    return not run.in_force.survivors and run.in_force.workload != FRESH


def _unaged_file_system(session: Session, arm: Arm) -> str | None:
    """Returns the file system of an arm that is unaged itself."""
    run = _run_of(session, arm)
    if run is not None:
        return run.in_force.file_system if run.in_force.survivors else None
    if arm.image_id is None:
        return None
    image = image_service.get_image(session=session, image_id=arm.image_id)
    return image.file_system if (image.intake or {}).get("kind") == "unaged" else None


def _run_of(session: Session, arm: Arm) -> Run | None:
    """Returns the run that made the arm's image, or will; None of an imported one."""
    if arm.run_id is not None:
        return run_service.get_run(session=session, run_id=arm.run_id)
    assert arm.image_id is not None
    return image_service.get_image(session=session, image_id=arm.image_id).run


def _twin(making: Making, run: Run) -> Arm:
    session, device = making.session, making.device
    made = run.in_force
    is_twin = (
        Image.run_id.is_not(None),  # not of another server, whose runs have other numbers
        Image.recipe["replay_of"].as_integer() == run.id,
        Image.recipe["survivors"].as_boolean(),
        Image.file_system == str(made.file_system),
        Image.size_bytes == run.device.size_bytes,
        Image.deleted_at.is_(None),
        seen(Image),
    )
    image = session.scalar(select(Image).where(*is_twin).order_by(Image.id.desc()).limit(1))
    if image is not None:
        return Arm(image_id=image.id, is_base=True)
    under_way = session.scalar(
        select(Run)
        .where(
            Run.settings["replay_of"].as_integer() == run.id,
            Run.settings["survivors"].as_boolean(),
            Run.host_id == device.host_id,
            Run.state.not_in(ENDED),
            seen(Run),
        )
        .limit(1)
    )
    if under_way is not None:
        return Arm(run_id=under_way.id, is_base=True)
    if run.device.size_bytes != device.size_bytes:
        raise NotMeasurable(
            f"The unaged twin of run {run.id} needs a device of its size, {exactly_bytes(run.device.size_bytes)}; "
            f"device {device.path} has {exactly_bytes(device.size_bytes)}."
        )
    twin = making.start(
        note=f"Unaged twin of run {run.id}, for a trial",
        file_system=made.file_system,
        workload="replay",
        replay_of=run.id,
        survivors=True,
        data_mode=made.data_mode,
        capture_mode=made.capture_mode,
        seed=made.seed,
    )
    return Arm(run_id=twin.id, is_base=True)
