"""Images that a trial has made for it: runs, queued before the trial on the same device."""

from typing import Any

from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.device.models import Device
from patina.figures import exactly_bytes
from patina.image import service as image_service
from patina.image.models import Image
from patina.run import service as run_service
from patina.run.models import Run
from patina.run.schemas import Confirmation, RunCreate
from patina.run.settings import RunSettings
from patina.trial.arms import NotMeasurable, reads_disk
from patina.trial.schemas import ArmCreate
from patina.trial.settings import Arm

OWN = frozenset(Arm.model_fields)


class Making:
    """Starts the runs that make the images of a trial. The confirmation of the first covers the jobs that the same
    request queues after it: what they destroy is the work of that request."""

    def __init__(
        self, *, session: Session, device: Device, confirmation: Confirmation, sharing: Sharing | None
    ) -> None:
        self.session = session
        self.device = device
        self.confirmation = confirmation
        self.sharing = sharing

    def start(self, *, note: str, source: Image | None = None, **settings: Any) -> Run:
        """Queues a run that waits if the device is busy. `source`: the image that has given the settings. Raises what
        the start of a run raises."""
        own = {"device_id": self.device.id, "confirmation": self.confirmation, "sharing": self.sharing}
        create = RunCreate(**settings, **own, waits=True, note=note)
        run = run_service.start_run(session=self.session, create=create, idempotency_key=None, source=source)
        self.confirmation = self.confirmation.model_copy(update={"typed": self.device.path or self.device.serial})
        return run


def with_runs(*, making: Making, arms: list[ArmCreate]) -> list[Arm]:
    """Returns the arms, with a run for each that is to be aged first. Equal settings share one run. Raises what the
    start of a run raises, and NotMeasurable."""
    started: dict[str, int] = {}
    found = []
    for arm in arms:
        own = arm.model_dump(include=set(OWN))
        ages = _to_age(making, arm)
        if ages is not None:
            key = ages.model_dump_json()
            if key not in started:
                source = None if arm.image_id is None else making.session.get(Image, arm.image_id)
                started[key] = making.start(note="For a trial", source=source, **ages.model_dump(exclude_unset=True)).id
            own |= {"image_id": None, "run_id": started[key]}
        found.append(Arm.model_validate(own))
    return found


def _to_age(making: Making, arm: ArmCreate) -> RunSettings | None:
    """Returns the settings of the run that makes the arm's image; None where that exists."""
    if arm.image_id is None or not arm.gets_data:
        return arm.ages
    image = image_service.get_image(session=making.session, image_id=arm.image_id)
    if reads_disk(image, making.device) is not False or image.run is None:
        return None
    if image.size_bytes != making.device.size_bytes:
        raise NotMeasurable(
            f"To age the recipe of image {image.name} with data takes a device of its size, "
            f"{exactly_bytes(image.size_bytes)}; device {making.device.path} has "
            f"{exactly_bytes(making.device.size_bytes)}."
        )
    return image.run.in_force.model_copy(update={"data_mode": "materialize"})
