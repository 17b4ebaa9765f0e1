"""Starts and reads trials."""

import secrets
from collections.abc import Iterator, Sequence

from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.orm import Session, lazyload, load_only, selectinload, undefer

from patina.account.visibility import Shared, begin, seen
from patina.device import service as device_service
from patina.device.models import Device, Lease
from patina.errors import PatinaError
from patina.host import service as host_service
from patina.image.models import Image
from patina.job import service as job_service
from patina.job import waiting
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.service import check_device
from patina.scan.service import require_allowed
from patina.trial import arms as trial_arms
from patina.trial import order, results
from patina.trial.describe import describe
from patina.trial.fio import job_file
from patina.trial.making import Making, with_runs
from patina.trial.models import Repetition, RepetitionState, Trial
from patina.trial.schemas import (
    RepetitionMeasured,
    RepetitionRead,
    TrialCreate,
    TrialItem,
    TrialPage,
    TrialRead,
    TrialRun,
)
from patina.trial.settings import Arm, TrialSettings
from patina.trial.twins import with_twins
from patina.trial.workload import CommandWorkload, FioWorkload, GitWorkload, PersonalityWorkload, Workload

CommandNotAllowed = PatinaError.of("command_not_allowed", "The host does not allow this command", status=403)
TrialTooLarge = PatinaError.of("trial_too_large", "The trial is too large", status=422)


def get_trial(*, session: Session, trial_id: int) -> Trial:
    """Returns the trial. Raises JobUnknown."""
    return job_service.get_job(session=session, job_id=trial_id, model=Trial)


def start_trial(*, session: Session, create: TrialCreate, idempotency_key: str | None) -> Trial:
    """Queues a trial: checks, order, lease, rows, message. The same key returns the same trial."""
    request = create.model_dump(mode="json", exclude={"confirmation"})
    earlier = job_service.submitted_with(session=session, model=Trial, key=idempotency_key, request=request)
    if earlier is not None:
        return earlier
    device = device_service.get_device(session=session, device_id=create.device_id)
    if not create.waits:
        host_service.require_heard(device.host)
    making = Making(session=session, device=device, confirmation=create.confirmation, sharing=create.sharing)
    arms = with_runs(making=making, arms=create.arms)
    if create.adds_twins:
        arms = with_twins(making=making, arms=arms)
    runs = sorted({arm.run_id for arm in arms if arm.run_id is not None})
    held = _held(making=making, waits=create.waits, runs=runs)
    settings = _in_force(session, device, create, arms)
    assert settings.seed is not None
    trial = Trial(
        host=device.host,
        device=device,
        lease=held,
        settings=settings.model_dump(mode="json"),
        name=create.name,
        note=create.note,
        resumes_left_count=job_service.AUTOMATIC_RESUMES_COUNT,
        confirmed=device.confirmed,
        idempotency_key=idempotency_key,
        request=request,
        state=JobState.QUEUED,
    )
    begin(session=session, row=trial, asked=create.sharing, sources=_sources_of(session, settings))
    message = f"Queued for {device.path}" if held else f"Waits until {_awaited(device, runs)}"
    trial = job_service.submit(session=session, job=trial, message=message)
    session.add_all(
        Repetition(
            trial_id=trial.id,
            position=position,
            arm=planned.arm,
            workload=planned.workload,
            number=planned.number,
            image_id=settings.arms[planned.arm].image_id,
        )
        for position, planned in enumerate(order.planned(settings, seed=settings.seed))
    )
    session.flush()
    return trial


def _sources_of(session: Session, settings: TrialSettings) -> Iterator[Shared | None]:
    """Yields its images, and the runs that make them."""
    for arm in settings.arms:
        yield session.get(Run, arm.run_id) if arm.image_id is None else session.get(Image, arm.image_id)


def _held(*, making: Making, waits: bool, runs: list[int]) -> Lease | None:
    """Returns the device's lease; None for a trial that waits, as each does that needs an open run."""
    session, device = making.session, making.device
    waits = waits or bool(runs)
    held = waiting.hold_or_wait(session=session, device=device, waits=waits, holder="a trial about to start")
    check_device(device, making.confirmation, overwrites=True, what="measure on", will_hold=held is None)
    if held is None or not runs:
        return held
    session.delete(held)  # the device is free; the images are not there yet
    session.flush()
    return None


def _awaited(device: Device, runs: list[int]) -> str:
    if not runs:
        return f"{device.path} is free"
    return f"run {runs[0]} has ended" if len(runs) == 1 else f"runs {', '.join(map(str, runs))} have ended"


def _in_force(session: Session, device: Device, create: TrialCreate, given: list[Arm]) -> TrialSettings:
    """Returns the settings with a seed, names, and one number of files for all arms."""
    own = create.model_dump(include=set(TrialSettings.model_fields) - {"arms"})
    try:
        asked = TrialSettings.model_validate(own | {"arms": [arm.model_dump() for arm in given]})
    except ValidationError as error:
        why = "; ".join(each["msg"].removeprefix("Value error, ") for each in error.errors())
        raise TrialTooLarge(f"With its unaged twins the trial is too large: {why}.") from error
    arms, fit_bytes = trial_arms.in_force(session=session, device=device, settings=asked)
    seed = secrets.randbelow(2**53) if asked.seed is None else asked.seed
    workloads = [_workload_in_force(workload, device, fit_bytes) for workload in asked.workloads]
    return asked.model_copy(update={"arms": arms, "workloads": workloads, "seed": seed})


def _workload_in_force(workload: Workload, device: Device, fit_bytes: int) -> Workload:
    """Returns the workload with its number of files. Raises what its own text is refused for, ScanNotAllowed,
    CommandNotAllowed."""
    if isinstance(workload, FioWorkload):
        job_file(workload.job, directory="/")
    if isinstance(workload, GitWorkload) and workload.repository is not None:
        repository = require_allowed(
            directory=workload.repository,
            folders=device.host.scan_folders,
            host_name=device.host.name,
            what="a trial to read",
        )
        return workload.model_copy(update={"repository": repository})
    if isinstance(workload, CommandWorkload) and workload.program not in device.host.commands:
        allowed = ", ".join(device.host.commands) or "none; put programs into PATINA_COMMAND_FOLDER of the host"
        raise CommandNotAllowed(
            f"Host {device.host.name} does not allow trials to run {workload.program}. Allowed: {allowed}."
        )
    if not isinstance(workload, PersonalityWorkload):
        return workload
    fit_bytes = workload.fit_bytes or fit_bytes
    scaled = describe(name=workload.name, spec=workload.spec, fit_bytes=fit_bytes, files_count=workload.files_count)
    several = sum(each.files_count for each in scaled.file_sets if each.files_count > 1)
    # Single files have sizes to scale, and no number.
    return workload.model_copy(update={"files_count": several} if several else {"fit_bytes": fit_bytes})


# Columns shown of the image.
_IMAGE = selectinload(Repetition.image).options(load_only(Image.id, Image.name), lazyload("*"))


def repetitions_of(*, session: Session, trial_id: int, is_whole: bool = False) -> Sequence[Repetition]:
    """Returns the trial's repetitions in the order of execution; their measurements are loaded if `is_whole`."""
    found = select(Repetition).where(Repetition.trial_id == trial_id).order_by(Repetition.position).options(_IMAGE)
    return session.scalars(found.options(undefer(Repetition.measurement)) if is_whole else found).all()


def read(*, session: Session, trial: Trial) -> TrialRead:
    """Returns the trial as the API shows it, with its results so far."""
    session.flush()
    settings = TrialSettings.model_validate(trial.settings)
    figures, changes = results.of(session=session, trial_id=trial.id, settings=settings)
    own = {name: getattr(trial, name) for name in TrialRead.model_fields if hasattr(trial, name)}
    return TrialRead.model_validate(
        own
        | {
            "settings": settings,
            "runs": _runs_of(session, settings),
            "repetitions": [
                RepetitionRead.model_validate(row) for row in repetitions_of(session=session, trial_id=trial.id)
            ],
            "figures": figures,
            "rank_changes": changes,
        },
        from_attributes=True,
    )


def _runs_of(session: Session, settings: TrialSettings) -> list[TrialRun]:
    """Returns the runs that make its images."""
    ids = {arm.run_id for arm in settings.arms if arm.run_id is not None}
    if not ids:
        return []
    jobs = select(Job.id, Job.state, Job.message).where(Job.id.in_(ids), seen(Job)).order_by(Job.id)
    return [TrialRun(id=run_id, state=state, message=message) for run_id, state, message in session.execute(jobs)]


def measured(*, session: Session, trial_id: int) -> list[RepetitionMeasured]:
    """Returns the repetitions with their measurements."""
    get_trial(session=session, trial_id=trial_id)
    rows = repetitions_of(session=session, trial_id=trial_id, is_whole=True)
    return [RepetitionMeasured.model_validate(row) for row in rows]


def list_trials(*, session: Session, cursor: int | None, limit: int) -> TrialPage:
    """Returns a page of trials, newest first."""
    older = [] if cursor is None else [Trial.id < cursor]
    trials = session.scalars(select(Trial).where(seen(Trial), *older).order_by(Trial.id.desc()).limit(limit + 1)).all()
    shown = trials[:limit]
    of_shown = Repetition.trial_id.in_([trial.id for trial in shown])
    ended = (
        select(Repetition.trial_id, func.count())
        .where(of_shown, Repetition.state != RepetitionState.PLANNED)
        .group_by(Repetition.trial_id)
    )
    done = {trial_id: count for trial_id, count in session.execute(ended)}
    items = [_item(trial, done.get(trial.id, 0)) for trial in shown]
    return TrialPage(items=items, next_cursor=items[-1].id if len(trials) > limit else None)


def _item(trial: Trial, done_count: int) -> TrialItem:
    settings = TrialSettings.model_validate(trial.settings)
    own = {name: getattr(trial, name) for name in TrialItem.model_fields if hasattr(trial, name)}
    return TrialItem(
        **own,
        arms=[arm.label for arm in settings.arms],
        workloads=[workload.label for workload in settings.workloads],
        repetitions_count=settings.repetitions_count,
        done_count=done_count,
        total_count=len(settings.arms) * len(settings.workloads) * settings.repetitions_count,
    )
