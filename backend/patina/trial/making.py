"""Images that a trial has made for it: runs, queued before the trial on the same device."""

from typing import Any

from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.run import service as run_service
from patina.run.models import Run
from patina.run.schemas import Confirmation, RunCreate
from patina.trial.schemas import ArmCreate
from patina.trial.settings import Arm

OWN = frozenset(Arm.model_fields)


class Making:
    """Starts the runs that make the images of a trial. The confirmation of the first covers the jobs that the same
    request queues after it: what they destroy is the work of that request."""

    def __init__(self, *, session: Session, device: Device, confirmation: Confirmation) -> None:
        self.session = session
        self.device = device
        self.confirmation = confirmation

    def start(self, *, note: str, **settings: Any) -> Run:
        """Queues a run that waits if the device is busy. Raises what the start of a run raises."""
        create = RunCreate(**settings, device_id=self.device.id, confirmation=self.confirmation, waits=True, note=note)
        run = run_service.start_run(session=self.session, create=create, idempotency_key=None)
        self.confirmation = self.confirmation.model_copy(update={"typed": self.device.path or self.device.serial})
        return run


def with_runs(*, making: Making, arms: list[ArmCreate]) -> list[Arm]:
    """Returns the arms, with a run for each that is to be aged first. Equal settings share one run. Raises what the
    start of a run raises."""
    started: dict[str, int] = {}
    found = []
    for arm in arms:
        own = arm.model_dump(include=set(OWN))
        if arm.ages is not None:
            key = arm.ages.model_dump_json()
            if key not in started:
                started[key] = making.start(note="For a trial", **arm.ages.model_dump()).id
            own["run_id"] = started[key]
        found.append(Arm.model_validate(own))
    return found
