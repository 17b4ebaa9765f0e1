"""How an intake ended, written once: state and image in one transaction."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from patina.cli.figures import in_bytes
from patina.errors import PatinaError
from patina.image import service as image_service
from patina.intake.models import Intake, IntakeState
from patina.intake.state import try_move
from patina_worker import outcome
from patina_worker.take_in import TakenIn


@dataclass(frozen=True)
class IntakeEnd:
    """The final state of an intake, and why."""

    state: IntakeState
    message: str
    error_code: str | None = None
    error_log: str | None = None
    taken_in: TakenIn | None = None


def succeeded(taken_in: TakenIn) -> IntakeEnd:
    summary = taken_in.captured.summary
    message = f"In the catalog: {in_bytes(summary.stored_bytes)} stored, {in_bytes(summary.new_bytes)} of it new"
    return IntakeEnd(IntakeState.SUCCEEDED, message, taken_in=taken_in)


def canceled() -> IntakeEnd:
    return IntakeEnd(IntakeState.CANCELED, "Canceled; no image was made")


def interrupted() -> IntakeEnd:
    return IntakeEnd(IntakeState.INTERRUPTED, "The worker was stopped. The file is kept; take it in again, or cancel.")


def failed(error: PatinaError) -> IntakeEnd:
    log = getattr(error, "log", "")
    return IntakeEnd(IntakeState.FAILED, error.message, error_code=error.code, error_log=log or None)


def failed_by_bug(error: Exception) -> IntakeEnd:
    """Not foreseen: the intake ends with what there is to know."""
    known = outcome.failed_by_bug(error)
    return IntakeEnd(IntakeState.FAILED, known.message, error_code=known.error_code, error_log=known.error_log)


def record(*, session: Session, intake_id: int, end: IntakeEnd) -> None:
    """The end of the intake. Its file is removed by the next heartbeat, unless it can be taken in again."""
    # Locked: a request to stop that comes now waits, and finds the intake ended.
    intake = session.get_one(Intake, intake_id, populate_existing=True, with_for_update={"of": Intake})
    image_id = None
    if end.taken_in is not None:
        taken_in = end.taken_in
        image_id = image_service.publish_imported(
            session=session,
            name=intake.name,
            file_system=taken_in.file_system,
            intake=taken_in.facts,
            host_id=intake.host_id,
            index_name=taken_in.captured.index_name,
            capture=taken_in.captured.summary,
            layout=taken_in.captured.layout,
        ).id
    moved = try_move(
        session=session,
        intake=intake,
        from_state=intake.state,
        to_state=end.state,
        message=end.message,
        error_code=end.error_code,
        error_log=end.error_log,
        image_id=image_id,
    )
    assert moved, f"intake {intake_id} moved under its lock"
