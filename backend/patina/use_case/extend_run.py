"""Extensions: a finished run is aged further, as a new run, on the device that still holds its result.

The earlier run, its curves and its image stay as they are. The worker compares the device with that image byte for byte
before it writes, and goes on from the earlier run's checkpoint.
"""

from sqlalchemy.orm import Session

from patina.account.visibility import begin, require_changeable
from patina.delta import service as delta_service
from patina.device import lease
from patina.errors import PatinaError
from patina.image.models import Origin
from patina.job import service as job_service
from patina.job.journal import StateConflict
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.job.state import JobState
from patina.run import planning
from patina.run.models import Run
from patina.run.schemas import ExtensionCreate, RunRequest
from patina.run.service import check_device, get_run
from patina.run.settings import ExactLength, StopConditions

NotExtendable = PatinaError.of("not_extendable", "The run cannot be aged further", status=409)
NothingToExtend = PatinaError.of("nothing_to_extend", "Nothing would be added", status=409)


def extend_run(*, session: Session, run_id: int, create: ExtensionCreate, idempotency_key: str | None) -> Run:
    """Queues a run that extends the finished one. The same key returns the same run."""
    before = get_run(session=session, run_id=run_id)
    require_changeable(before)
    request = _request_after(before, create)
    earlier = job_service.submitted_with(session=session, model=Run, key=idempotency_key, request=request)
    if earlier is not None:
        return earlier
    if before.state != JobState.SUCCEEDED:
        raise StateConflict(f"Run {before.id} is {before.state}: only one that has succeeded can be extended.")
    if before.profile_version is None:
        raise NotExtendable(
            f"Run {before.id} carried out the workload {before.in_force.workload}, which has no horizon. Start a "
            "run with more rounds or operations."
        )
    held = lease.acquire(session=session, device=before.device, holder="a run about to start")
    loss = "its files may be changed"
    check_device(before.device, create.confirmation, overwrites=True, what="age", loss=loss)
    _check_holds(session, before)
    _check_adds(before, create)
    run = _run_after(before, create)
    begin(session=session, row=run, asked=None, sources=[before])
    run.lease, run.idempotency_key, run.request = held, idempotency_key, request
    message = f"Queued for {run.device.path}, to go on where run {before.id} ended"
    return job_service.submit(session=session, job=run, message=message)


def _request_after(before: Run, create: ExtensionCreate) -> dict[str, object]:
    """Returns the earlier run's request, without its stop conditions and its note."""
    asked = create.model_dump(mode="json", exclude={"confirmation"})
    request = before.settings | asked | {"extends_id": before.id, "device_id": before.device_id}
    return RunRequest.model_validate(request).model_dump(mode="json")


def _check_holds(session: Session, before: Run) -> None:
    holding = delta_service.held(session=session, device_id=before.device.id)
    image = None if holding is None else holding.image
    if image is None or (image.run_id, image.origin) != (before.id, Origin.AGED):
        raise NotExtendable(
            f"{before.device.path} does not hold the image of run {before.id}. Restore its image to the device first."
        )
    if holding is not None and holding.delta_id is not None:
        raise NotExtendable(
            f"A trial may have written to {before.device.path} since it held image {image.name}. Roll it back first."
        )


def _check_adds(before: Run, create: ExtensionCreate) -> None:
    """Raises NothingToExtend unless the new plan is longer than the earlier run."""
    assert before.plan is not None
    assert before.summary is not None
    capacity_bytes = int(before.plan["capacity_bytes"])

    def _wanted(asked: StopConditions) -> int:
        return planning.plan_of(run=before, capacity_bytes=capacity_bytes, asked=asked).horizon_ops_count

    wanted_ops_count = _wanted(create) if create.exact_ops_count is None else create.exact_ops_count
    done_count = before.summary["ops_count"]
    if wanted_ops_count > done_count:
        return
    if create.exact_ops_count is not None:
        raise NothingToExtend(
            f"Run {before.id} did {done_count:,} operations. Ask for a larger number of operations than that."
        )
    if _wanted(StopConditions()) <= done_count:
        raise NothingToExtend(
            f"Run {before.id} has converged: no stop condition makes it longer. Ask for an exact number of operations, "
            f"more than {done_count:,}."
        )
    raise NothingToExtend(
        f"Run {before.id} did {done_count:,} operations, and these stop conditions are met after "
        f"{wanted_ops_count:,}. Ask for a smaller age RMSE, for more overwrites, or for an exact number of operations."
    )


def _run_after(before: Run, create: ExtensionCreate) -> Run:
    """Returns the new run: equal to the earlier one except for its stop conditions."""
    return Run(
        extends_id=before.id,
        host=before.device.host,
        device=before.device,
        profile_version=before.profile_version,
        settings=before.settings | {"in_memory": False} | create.model_dump(include=set(ExactLength.model_fields)),
        note=create.note,
        recipe=before.recipe,
        confirmed=before.device.identity,  # its content is compared with the image
        resumes_left_count=AUTOMATIC_RESUMES_COUNT,
        state=JobState.QUEUED,
    )
