"""Images that a trial has made for it: runs, queued before the trial on the same device."""

from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.run import service as run_service
from patina.run.schemas import Confirmation, RunCreate
from patina.trial.schemas import ArmCreate
from patina.trial.settings import Arm

OWN = frozenset(Arm.model_fields)


def with_runs(*, session: Session, device: Device, arms: list[ArmCreate], confirmation: Confirmation) -> list[Arm]:
    """Returns the arms, with a run for each that is to be aged first. Equal settings share one run. Raises what the
    start of a run raises."""
    started: dict[str, int] = {}
    found = []
    for arm in arms:
        own = arm.model_dump(include=set(OWN))
        if arm.ages is not None:
            key = arm.ages.model_dump_json()
            if key not in started:
                create = RunCreate(
                    **arm.ages.model_dump(),
                    device_id=device.id,
                    confirmation=confirmation,
                    waits=True,
                    note="For a trial",
                )
                run = run_service.start_run(session=session, create=create, idempotency_key=None)
                started[key] = run.id
            own["run_id"] = started[key]
        found.append(Arm.model_validate(own))
    return found
