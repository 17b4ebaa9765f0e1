"""The director of a trial: repetition by repetition, each on a device that was made equal to its image."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

from pydantic import BaseModel
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from patina.core.contract.age import FreeExtents, Layout
from patina.core.contract.measured import WorkloadProgress
from patina.core.failure import StepFailed, Stopped
from patina.file_system.table import row_of
from patina.job.models import Job
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.settings import settings
from patina.trial import arms as trial_arms
from patina.trial import results
from patina.trial.measurement import Measurement, Restoration
from patina.trial.models import Repetition, RepetitionState, Trial
from patina.trial.schemas import TrialResult
from patina.trial.settings import Arm, TrialSettings
from patina.trial.workload import ROWS, UNITS, Workload
from patina_worker.failure import MountFailed, UnmountFailed
from patina_worker.handlers.trial.bench import Bench, Measured, seldom
from patina_worker.handlers.trial.environment import background_of, busy_fraction, environment_of, other_jobs
from patina_worker.handlers.trial.held_device import HeldDevice
from patina_worker.handlers.trial.parts import measured_together, parts_of, traced_together
from patina_worker.handlers.trial.programs import ProgramFailed
from patina_worker.handlers.trial.workloads import RUNS
from patina_worker.host import file_system, full_disk
from patina_worker.host.layout import free_extents_on
from patina_worker.host.predicted import clock_s
from patina_worker.host.write_check import Target, check_may_destroy, target_of
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done
from patina_worker.store.held_image import StoredImage, stored
from patina_worker.tools.run import run_tool

NoMeasurement = StepFailed.of("no_measurement", "Nothing was measured")
OUTPUT_CHARS = 2000  # of a failed program, in a repetition
PLAIN_OPTIONS = "noatime,nodev,nosuid,noexec"


@dataclass(frozen=True)
class TrialJob:
    """The director's input, independent of the database."""

    trial_id: int
    device_id: int
    target: Target
    settings: TrialSettings


@dataclass(frozen=True)
class Planned:
    """A repetition that is to be done."""

    id: int
    arm: Arm
    workload: Workload
    number: int
    image: StoredImage
    free_extents: FreeExtents | None  # of the image

    @property
    def label(self) -> str:
        return f"{self.workload.label} on {self.arm.label}, repetition {self.number}"


def mount_folder(trial_id: int) -> Path:
    """Returns the folder at which a trial's file systems are mounted."""
    return settings().state_dir / "mnt" / f"trial-{trial_id}"


def scratch_folder(trial_id: int) -> Path:
    """Returns the folder of a trial's files that are not on the device."""
    return settings().scratch_dir / f"trial-{trial_id}"


def handle(_: BaseModel, log: JobLog, lock: int) -> Done:
    """Measures every repetition that has not been measured. Those that fail are recorded, and the others go on."""
    job = log.write(lambda session: _job(session, log.job_id))
    with log.stoppable():
        check_may_destroy(job.target)
        environment = environment_of(job.target)
        log.write(lambda session: _note_environment(session, job.trial_id, environment))
        for message in log.write(lambda session: _find_images(session, job)):
            log.step(message)
        device = HeldDevice(device_id=job.device_id, target=job.target, log=log, lock=lock)
        planned = log.write(lambda session: _planned(session, job))
        total_count = len(job.settings.arms) * len(job.settings.workloads) * job.settings.repetitions_count
        for index, repetition in enumerate(planned):
            done_count = total_count - len(planned) + index
            log.enter(f"{done_count + 1} of {total_count}: {repetition.label}", phase="measure")
            log.progress(done_count, total_count, "repetitions")
            _repeat(repetition, job, device, log, lock)
        if planned:
            log.enter(f"Rolling back, so that {job.target.path} holds an image unchanged", phase="rollback")
            device.hold(planned[-1].image)
    result = log.write(lambda session: _result(session, job.trial_id))
    if result.done_count == 0:
        raise NoMeasurement("No repetition could be measured. The list of repetitions has the reason for each.")
    failed = "" if result.failed_count == 0 else f", {result.failed_count} failed"
    return Done(f"Measured {result.done_count} repetitions{failed}", result)


def clean_up(trial_id: int) -> str:
    """Unmounts the file system that a dead process had mounted, and removes its scratch files. Returns the message for
    the trial's log."""
    rmtree(scratch_folder(trial_id), ignore_errors=True)
    try:
        if mount_folder(trial_id).is_mount():
            file_system.unmount(mount_folder(trial_id))
    except UnmountFailed as error:
        return f"Interrupted: the worker died while it measured. {error.message}"
    return "Interrupted: the worker died while it measured. The repetition under way begins again."


def _job(session: Session, trial_id: int) -> TrialJob:
    trial = session.get_one(Trial, trial_id)
    return TrialJob(
        trial_id=trial.id,
        device_id=trial.device_id,
        target=target_of(trial.device, trial.confirmed or {}),
        settings=TrialSettings.model_validate(trial.settings),
    )


def _note_environment(session: Session, trial_id: int, environment: BaseModel) -> None:
    session.get_one(Trial, trial_id).environment = environment.model_dump(mode="json")


def _find_images(session: Session, job: TrialJob) -> list[str]:
    """Sets the images that runs have made since. Repetitions whose run made none are skipped. Returns messages."""
    messages = []
    for index, arm in enumerate(job.settings.arms):
        if arm.run_id is None:
            continue
        of_arm = (Repetition.trial_id == job.trial_id) & (Repetition.arm == index)
        image = trial_arms.image_of_run(session, arm.run_id)
        if image is not None:
            session.execute(update(Repetition).where(of_arm).values(image_id=image.id))
            continue
        why = f"Run {arm.run_id} made no image"
        messages.append(f"{arm.label} is left out: {why}")
        session.execute(
            update(Repetition)
            .where(of_arm, Repetition.state == RepetitionState.PLANNED)
            .values(state=RepetitionState.SKIPPED, error_code="run_made_no_image", error_message=why)
        )
    return messages


def _planned(session: Session, job: TrialJob) -> list[Planned]:
    """Returns the repetitions to do, in their order. Those that failed before are tried again."""
    to_do = (RepetitionState.PLANNED, RepetitionState.FAILED)
    rows = session.scalars(
        select(Repetition)
        .where(Repetition.trial_id == job.trial_id, Repetition.state.in_(to_do), Repetition.image_id.is_not(None))
        .order_by(Repetition.position)
    ).all()
    found = []
    for row in rows:
        assert row.image is not None
        arm, workload = job.settings.arms[row.arm], job.settings.workloads[row.workload]
        layout = row.image.layout and Layout.model_validate(row.image.layout)
        found.append(
            Planned(
                id=row.id,
                arm=arm,
                workload=workload,
                number=row.number,
                image=stored(row.image),
                free_extents=layout.free_extents if layout else None,
            )
        )
    return found


def _repeat(repetition: Planned, job: TrialJob, device: HeldDevice, log: JobLog, lock: int) -> None:
    """Does one repetition and stores its measurement, or why it failed. Failures of the device end the trial."""
    began = time.monotonic()
    restoration = device.hold(repetition.image)
    log.write(lambda session: _begin(session, repetition.id))
    before = log.write(lambda session: other_jobs(session, job.trial_id))
    busy = busy_fraction()
    options = mount_options(job.target, repetition.image.file_system or "")
    parts, traces = [], []
    try:
        for index, part in enumerate(parts_of(repetition.workload)):
            if index > 0:
                device.hold(repetition.image)
            with device.written_to(is_traced=job.settings.is_traced) as trace:
                parts.append(_measure(repetition, part, job, options, log, lock))
            traces.append(trace.traced)
    except (Stopped, UnmountFailed):
        raise
    except (StepFailed, MountFailed) as error:
        why = full_disk.why(error, target=job.target, began=began)
        if why is not error:
            raise why from error
        failure = error
        log.write(lambda session: _fail(session, repetition.id, failure))
        log.step(f"{repetition.label}: failed: {_with_output(error)}")
        return
    # Before the next rollback, which empties the cache of the device again.
    free_extents = free_extents_on(job.target.path, check=log.must_go, inherit=(lock,))
    measured, traced = measured_together(parts), traced_together(traces, is_whole=repetition.arm.has_journal)
    jobs = sorted({*before, *log.write(lambda session: other_jobs(session, job.trial_id))})
    measurement = Measurement(
        value=measured.value,
        elapsed_s=measured.elapsed_s,
        mount_options=options,
        restoration=restoration,
        background=background_of(jobs, busy),
        allocated=measured.allocated,
        device=measured.device,
        written_bytes=measured.written_bytes,
        read_bytes=measured.read_bytes,
        write_amplification=measured.device.written_bytes / measured.written_bytes if measured.written_bytes else None,
        space_amplification=measured.space_amplification,
        traced=traced,
        layout_score=traced.layout_score if traced and ROWS[repetition.workload.kind].is_cold_read else None,
        free_extents_before=repetition.free_extents,
        free_extents_after=free_extents,
        operations=measured.operations,
        samples=measured.samples,
        points=measured.points,
        steady_from_s=measured.steady_from_s,
        figures=measured.figures,
        output=measured.output,
    )
    log.write(lambda session: _store(session, repetition.id, measurement))
    log.step(f"{repetition.label}: {_in_words(repetition.workload, measured)}; {_restored(restoration)}")


def _measure(repetition: Planned, part: int | None, job: TrialJob, options: str, log: JobLog, lock: int) -> Measured:
    path, kind = job.target.path, repetition.image.file_system or ""
    if not repetition.arm.has_journal:
        _remove_journal(path, kind)

    def _say(record: object) -> None:
        if isinstance(record, WorkloadProgress) and record.stage == "run" and record.elapsed_s > 0:
            log.say(f"{repetition.label}: {record.ops_count / record.elapsed_s:,.0f} operations a second")

    bench = Bench(
        path=path,
        file_system=kind,
        mount_options=options,
        folder=mount_folder(job.trial_id),
        scratch=scratch_folder(job.trial_id),
        seed=(job.settings.seed or 0) + repetition.number,
        lock=lock,
        part=part,
        check=log.must_stop,
        on_record=_say,
        clock_s=lambda: clock_s(job.target),
        say=seldom(lambda text: log.say(f"{repetition.label}: {text}")),
    )
    try:
        return RUNS[repetition.workload.kind](bench, repetition.workload)
    except OSError as error:
        raise ProgramFailed(f"{error.filename or 'A file'}: {error.strerror}.") from error


def mount_options(target: Target, kind: str) -> str:
    """Returns the options that a trial mounts with: those that keep the host safe, and the file system's own."""
    row = row_of(kind)
    own = (row.mount_options, row.emulated_mount_options if target.is_emulated else "", target.shingle_mount_options)
    return ",".join((PLAIN_OPTIONS, *filter(None, own)))


def _remove_journal(path: str, kind: str) -> None:
    """Removes the journal of ext3 or ext4, and checks the file system, as tune2fs requires."""
    for argv in (["tune2fs", "-O", "^has_journal", path], ["e2fsck", "-fy", path]):
        done = run_tool(argv, timeout_s=3600)
        if done.returncode not in (0, 1):
            raise MountFailed(f"The journal of the {kind} on {path} could not be removed.", log=done.output)


def _begin(session: Session, repetition_id: int) -> None:
    row = session.get_one(Repetition, repetition_id)
    row.started_at, row.finished_at = datetime.now(UTC), None
    row.state, row.error_code, row.error_message = RepetitionState.PLANNED, None, None


def _store(session: Session, repetition_id: int, measurement: Measurement) -> None:
    row = session.get_one(Repetition, repetition_id)
    row.measurement, row.state = measurement.model_dump(mode="json"), RepetitionState.DONE
    row.finished_at = datetime.now(UTC)
    # A trial that has made progress may be interrupted as often again.
    session.execute(
        update(Job)
        .where(Job.id == row.trial_id)
        .values(resumes_left_count=AUTOMATIC_RESUMES_COUNT)
        .execution_options(synchronize_session=False)
    )


def _fail(session: Session, repetition_id: int, error: StepFailed) -> None:
    row = session.get_one(Repetition, repetition_id)
    row.state, row.error_code, row.error_message = RepetitionState.FAILED, error.code, _with_output(error)
    row.finished_at = datetime.now(UTC)


def _with_output(error: StepFailed) -> str:
    """Returns the message, with the end of the program's output below."""
    output = error.log.strip()[-OUTPUT_CHARS:]
    return f"{error.message}\n{output}" if output else error.message


def _result(session: Session, trial_id: int) -> TrialResult:
    states = list(session.scalars(select(Repetition.state).where(Repetition.trial_id == trial_id)))
    return TrialResult(
        done_count=states.count(RepetitionState.DONE),
        failed_count=states.count(RepetitionState.FAILED),
        skipped_count=states.count(RepetitionState.SKIPPED),
        digest=results.digest_of(session=session, trial_id=trial_id),
    )


def _in_words(workload: Workload, measured: Measured) -> str:
    return f"{measured.value:,.6g} {UNITS[ROWS[workload.kind].metric]}"


def _restored(restoration: Restoration) -> str:
    if restoration.how == "held":
        return "the device held its image"
    how = {"restore": "restored", "rollback": "rolled back", "compare": "compared and rolled back"}[restoration.how]
    return f"{how} before in {restoration.elapsed_s:.2f} s"
