"""One short task a verb: claim, direct, finish. A message only says "look at this id"; the database decides."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from patina.action.models import Action
from patina.action.state import try_move
from patina.collection.models import Collection
from patina.db import transaction
from patina.delta import service as delta_service
from patina.device import lease
from patina.device.lease import LeaseLost
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.errors import PatinaError
from patina.file_name import FileNameRefused
from patina.host.models import Host
from patina.intake.models import Intake, IntakeState
from patina.intake.state import try_move as try_move_intake
from patina.run import journal
from patina.run.models import Run
from patina.run.state import RunState
from patina.scan.models import Scan
from patina.scan.state import ScanState
from patina.scan.state import try_move as try_move_scan
from patina.settings import settings
from patina_worker import action_end, full_disk, intake_end, node, outcome, sandbox, spool
from patina_worker import scan as scans
from patina_worker.act import ActionJob, act
from patina_worker.act import job_of as job_of_action
from patina_worker.action_log import ActionLog
from patina_worker.age import age
from patina_worker.age_job import AgeJob, conditions_of, job_of, spent_s
from patina_worker.app import app
from patina_worker.claim import Claim, lease_ttl
from patina_worker.collect import collect
from patina_worker.extend import extended_by
from patina_worker.failure import CoreKilled, RunCanceled, SandboxFailed, SpoolFileRefused, SpoolMissing, WorkerStopping
from patina_worker.intake_end import IntakeEnd
from patina_worker.intake_log import IntakeLog
from patina_worker.outcome import Outcome
from patina_worker.run_log import RunLog
from patina_worker.steer import Steering
from patina_worker.take_in import IntakeJob, take_in
from patina_worker.take_in import job_of as job_of_intake

log = structlog.get_logger()


def _is_ours(host: Host) -> bool:
    """Whether work there is this worker's: whoever reaches the broker can put any message into any queue."""
    return host.name == settings().host_name


@app.task(name="patina.age_run")
def age_run(run_id: int) -> None:
    """Age a device and publish its image. Delivered twice, it runs once."""
    begun = _begin_run(run_id)
    if begun is None:
        return
    claim = begun.claim
    with claim.renewed():
        try:
            ended = _direct(begun)
            after = outcome.look_for(begun.job.target)
            claim.write(lambda session: outcome.record(session=session, run_id=run_id, outcome=ended, after=after))
        except LeaseLost as error:
            log.warning("lease lost; the run is another's to end", run_id=run_id, error=error.message)


@dataclass(frozen=True)
class _Begun:
    job: AgeJob
    claim: Claim


def _begin_run(run_id: int) -> _Begun | None:
    """Claim the run and its lease together; None when somebody was faster, or it is no longer queued."""
    with transaction() as session:
        run = session.get(Run, run_id)
        if run is None or run.lease_id is None or not _is_ours(run.device.host):
            return None
        lease_id = run.lease_id
        fence = lease.claim(session=session, lease_id=lease_id, ttl=lease_ttl())
        if fence is None or not journal.try_move(
            session=session,
            run=run,
            from_state=RunState.QUEUED,
            to_state=RunState.RUNNING,
            message=f"Started on {run.device.host.name}",
        ):
            session.rollback()
            return None
        delta_service.forget(session=session, device_id=run.device_id)  # all of it will be overwritten
        extended = extended_by(session, run)
        return _Begun(job=job_of(run, extended=extended), claim=Claim(lease_id=lease_id, fence=fence))


def _direct(begun: _Begun) -> Outcome:
    """The director's end as an outcome: every error but a lost lease becomes a final state."""
    job, claim = begun.job, begun.claim
    steering = Steering(run_id=job.run_id, claim=claim, conditions=conditions_of(job), spent_s=spent_s(job))
    run_log = RunLog(run_id=job.run_id, claim=claim, steering=steering)
    return replace(_outcome_of(begun, run_log), has_written=run_log.has_written)


def _outcome_of(begun: _Begun, run_log: RunLog) -> Outcome:
    job = begun.job
    try:
        return outcome.succeeded(age(job=job, log=run_log))
    except RunCanceled:
        return outcome.canceled()
    except WorkerStopping:
        return outcome.interrupted(
            "The worker was stopped; the device is unmounted. The run goes on once a worker runs again."
        )
    except CoreKilled as error:
        return outcome.interrupted(f"{error.message} The device is unmounted and free.")
    except LeaseLost:
        raise
    except PatinaError as error:
        return outcome.failed(full_disk.why(error, target=job.target))
    except Exception as error:
        log.exception("age_run failed unexpectedly", run_id=job.run_id)
        return outcome.failed_by_bug(error)


@app.task(name="patina.do_action")
def do_action(action_id: int) -> None:
    """Restore, verify, trace or roll back. Delivered twice, it is done once."""
    begun = _begin_action(action_id)
    if begun is None:
        return
    job, claim = begun
    with claim.renewed():
        try:
            ended = _direct_action(job, claim)
            after = outcome.look_for(job.target)
            claim.write(
                lambda session: action_end.record(session=session, action_id=action_id, outcome=ended, after=after)
            )
        except LeaseLost as error:
            log.warning("lease lost; the action is another's to end", action_id=action_id, error=error.message)


def _begin_action(action_id: int) -> tuple[ActionJob, Claim] | None:
    """Claim the action and its lease together; None when somebody was faster, or it is no longer queued."""
    with transaction() as session:
        action = session.get(Action, action_id)
        if action is None or not _is_ours(action.device.host):
            return None
        fence = lease.claim(session=session, lease_id=action.lease_id, ttl=lease_ttl())
        if fence is None or not try_move(
            session=session,
            action=action,
            from_state=RunState.QUEUED,
            to_state=RunState.RUNNING,
            message=f"Started on {action.device.host.name}",
        ):
            session.rollback()
            return None
        holding = delta_service.held(session=session, device_id=action.device_id)
        return job_of_action(action, holding=holding), Claim(lease_id=action.lease_id, fence=fence)


def _direct_action(job: ActionJob, claim: Claim) -> Outcome:
    """The director's end as an outcome: every error but a lost lease becomes a final state."""
    action_log = ActionLog(action_id=job.action_id, claim=claim)
    return replace(_outcome_of_action(job, action_log), has_written=action_log.has_written)


def _outcome_of_action(job: ActionJob, action_log: ActionLog) -> Outcome:
    try:
        return Outcome(RunState.SUCCEEDED, act(job=job, log=action_log))
    except LeaseLost:
        raise
    except PatinaError as error:
        if error.code != "canceled":
            return outcome.failed(full_disk.why(error, target=job.target))
        if action_log.is_stop_requested:
            return Outcome(RunState.CANCELED, error.message)
        return outcome.interrupted(f"The worker was stopped. {error.message}")
    except Exception as error:
        log.exception("do_action failed unexpectedly", action_id=job.action_id)
        return outcome.failed_by_bug(error)


@app.task(name="patina.collect")
def collect_garbage(collection_id: int) -> None:
    """Collect what no image needs. Delivered twice, it is done once."""
    ours = select(Host.id).where(Host.name == settings().host_name).scalar_subquery()
    with transaction() as session:
        begun = session.execute(
            update(Collection)
            .where(Collection.id == collection_id, Collection.state == RunState.QUEUED, Collection.host_id == ours)
            .values(state=RunState.RUNNING)
            .returning(Collection.is_dry_run, Collection.grace_s)
        ).one_or_none()
    if begun is None:
        return
    values: dict[str, object]
    try:
        summary = collect(collection_id=collection_id, is_dry_run=begun.is_dry_run, grace_s=begun.grace_s)
        values = {"state": RunState.SUCCEEDED, "summary": summary.model_dump(mode="json")}
    except PatinaError as error:
        values = {"state": RunState.FAILED, "error_code": error.code, "error_message": error.message}
    except Exception as error:  # left running, it would keep every later one from starting
        log.exception("collect failed unexpectedly", collection_id=collection_id)
        values = {"state": RunState.FAILED, "error_code": "internal", "error_message": str(error)}
    with transaction() as session:
        session.execute(
            update(Collection)
            .where(Collection.id == collection_id, Collection.state == RunState.RUNNING)
            .values(finished_at=datetime.now(UTC), **values)
        )


@app.task(name="patina.take_in")
def take_in_file(intake_id: int) -> None:
    """Make an image of a file in the spool. Delivered twice, it is done once."""
    with transaction() as session:
        intake = session.get(Intake, intake_id)
    if intake is None or not _is_ours(intake.host):
        return
    intake_log = IntakeLog(intake_id=intake_id)
    try:
        # Locked before it runs: what runs without a lock is dead.
        with spool.held(intake.spool_path) as descriptor:
            if descriptor is not None and (job := _begin_intake(intake_id)) is not None:
                _end_intake(intake_log, _direct_intake(job, descriptor, intake_log))
    except FileNotFoundError:
        gone = SpoolMissing(f"{intake.spool_path} is gone. Import {intake.file_name} anew.")
        _refuse_intake(intake_log, gone)
    except (FileNameRefused, SpoolFileRefused) as error:
        _refuse_intake(intake_log, error)


def _refuse_intake(intake_log: IntakeLog, error: PatinaError) -> None:
    if _begin_intake(intake_log.intake_id) is not None:
        _end_intake(intake_log, intake_end.failed(error))


def _end_intake(intake_log: IntakeLog, end: IntakeEnd) -> None:
    intake_log.write(lambda session: intake_end.record(session=session, intake_id=intake_log.intake_id, end=end))


def _begin_intake(intake_id: int) -> IntakeJob | None:
    """None when somebody was faster, or it is no longer queued."""
    with transaction() as session:
        intake = session.get_one(Intake, intake_id)
        began = try_move_intake(
            session=session,
            intake=intake,
            from_state=IntakeState.QUEUED,
            to_state=IntakeState.RUNNING,
            message=f"Started on {intake.host.name}",
        )
        return job_of_intake(intake) if began else None


def _direct_intake(job: IntakeJob, descriptor: int, intake_log: IntakeLog) -> IntakeEnd:
    """The director's end: every error becomes a final state."""
    try:
        return intake_end.succeeded(take_in(job=job, spool=descriptor, log=intake_log))
    except RunCanceled:
        return intake_end.canceled()
    except WorkerStopping:
        return intake_end.interrupted()
    except PatinaError as error:
        return intake_end.failed(error)
    except Exception as error:
        log.exception("take_in failed unexpectedly", intake_id=job.intake_id)
        return intake_end.failed_by_bug(error)


@app.task(name="patina.scan")
def scan_tree(scan_id: int) -> None:
    """Walk a tree into a profile. Delivered twice, it is done once."""
    with transaction() as session:
        waiting = frozenset({ScanState.QUEUED})
        asked = session.get(Scan, scan_id)
        if asked is None or not _is_ours(asked.host):
            return
        if not try_move_scan(session=session, scan_id=scan_id, from_states=waiting, to_state=ScanState.RUNNING):
            return
        directory = session.get_one(Scan, scan_id).directory
    to_state, values = _scanned(scan_id, directory)
    with transaction() as session:
        active = frozenset({ScanState.RUNNING, ScanState.CANCELING})
        try_move_scan(session=session, scan_id=scan_id, from_states=active, to_state=to_state, **values)


def _scanned(scan_id: int, directory: str) -> tuple[ScanState, dict[str, object]]:
    """The walk's end: every error becomes a final state."""
    try:
        summary = scans.scan(scan_id=scan_id, directory=directory)
        return ScanState.SUCCEEDED, {"result": summary.model_dump(mode="json")}
    except RunCanceled:
        return ScanState.CANCELED, {}
    except WorkerStopping:
        return ScanState.INTERRUPTED, {}
    except PatinaError as error:
        return ScanState.FAILED, {"error_code": error.code, "error_message": error.message}
    except Exception as error:
        log.exception("scan failed unexpectedly", scan_id=scan_id)
        return ScanState.FAILED, {"error_code": "internal", "error_message": str(error)}


@app.task(name="patina.make_sandbox")
def make_sandbox(device_id: int) -> None:
    """Make the loop device of a row in condition `creating`, locked meanwhile: delivered twice, it is made once."""
    with transaction() as session:
        device = session.get(Device, device_id, with_for_update={"of": Device})
        if device is None or device.condition != DeviceCondition.CREATING or not _is_ours(device.host):
            return
        try:
            device.path = sandbox.make(stable_id=device.stable_id, medium=device.medium, size_bytes=device.size_bytes)
            device.condition = DeviceCondition.READY
        except (FileNameRefused, SandboxFailed) as error:
            device.condition, device.condition_reason = DeviceCondition.FAILED, error.message
        device.seen_at = datetime.now(UTC)


@app.task(name="patina.remove_sandbox")
def remove_sandbox(device_id: int) -> None:
    """Remove the loop device and the file of a row in condition `removing`."""
    with transaction() as session:
        device = session.get(Device, device_id)
        claim = _claim_removal(session, device)
    if device is None or claim is None:
        return
    refusal = None
    try:
        if device.path is not None and device.path in sandbox.attached().values():
            with node.held(device.path), node.opened_alone(device.path):
                pass  # nobody works on it
        sandbox.remove(stable_id=device.stable_id, medium=device.medium)
    except (PatinaError, OSError) as error:
        refusal = f"could not be removed: {error}"
    claim.write(lambda session: _end_removal(session, device_id, claim, refusal))


def _claim_removal(session: Session, device: Device | None) -> Claim | None:
    if device is None or device.condition != DeviceCondition.REMOVING or device.active_lease is None:
        return None
    if not _is_ours(device.host):
        return None
    fence = lease.claim(session=session, lease_id=device.active_lease.id, ttl=lease_ttl())
    return None if fence is None else Claim(lease_id=device.active_lease.id, fence=fence)


def _end_removal(session: Session, device_id: int, claim: Claim, refusal: str | None) -> None:
    device = session.get_one(Device, device_id)
    if refusal is None:
        delta_service.forget(session=session, device_id=device_id)
        device.condition, device.condition_reason = DeviceCondition.REMOVED, None
        device.path = device.holds = None
    else:
        device.condition, device.condition_reason = DeviceCondition.PROTECTED, refusal
    session.flush()
    lease.release(session=session, lease_id=claim.lease_id)
