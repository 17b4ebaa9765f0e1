"""Starts trials as the API does, runs them, and reads what they measured."""

import hashlib
from pathlib import Path

from observe import device_of
from patina.core.contract.age import Layout
from patina.db import transaction
from patina.delta.models import Holding
from patina.image.models import Image
from patina.trial import service
from patina.trial.models import Trial
from patina.trial.schemas import RepetitionMeasured, TrialCreate, TrialRead


def image_of(device_id: int) -> int:
    with transaction() as session:
        return session.get_one(Holding, device_id).image_id


def layout_of(device_id: int) -> Layout:
    """Returns the layout of the device's image."""
    with transaction() as session:
        return Layout.model_validate(session.get_one(Image, image_of(device_id)).layout)


def start(device_id: int, workloads: list[dict[str, object]], **changes: object) -> int:
    """Queues a trial of the device's image as the API does. Returns its id."""
    device = device_of(device_id)
    confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "typed": device.path}
    body: dict[str, object] = {"device_id": device_id, "confirmation": confirmation, "workloads": workloads}
    arms = changes.pop("arms", None) or [{"image_id": image_of(device_id)}]
    with transaction() as session:
        create = TrialCreate.model_validate(body | {"arms": arms} | changes)
        return service.start_trial(session=session, create=create, idempotency_key=None).id


def trial_of(trial_id: int) -> TrialRead:
    with transaction() as session:
        return service.read(session=session, trial=session.get_one(Trial, trial_id))


def measured(trial_id: int) -> list[RepetitionMeasured]:
    with transaction() as session:
        return service.measured(session=session, trial_id=trial_id)


def done(trial_id: int) -> TrialRead:
    """Runs the trial in this process."""
    from patina_worker import tasks

    tasks.work(trial_id)
    return trial_of(trial_id)


def digest_of(device_id: int) -> str:
    with Path(device_of(device_id).path or "").open("rb") as device:
        return hashlib.file_digest(device, "sha256").hexdigest()


def holding_of(device_id: int) -> Holding | None:
    with transaction() as session:
        return session.get(Holding, device_id)
