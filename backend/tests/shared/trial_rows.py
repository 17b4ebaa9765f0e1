"""Requests and rows of trials, as the page sends them and as a worker leaves them."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import select, update

from patina.db import transaction
from patina.device import lease
from patina.image.models import Image, Origin
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings
from patina.trial.models import Repetition, RepetitionState, Trial

GIB = 2**30
IMPORTED: dict[str, object] = {
    "origin": Origin.IMPORTED,
    "run": None,
    "profile_version": None,
    "fullness": None,
    "recipe": None,
    "summary": None,
}


def intake(kind: str, *, is_clean: bool | None = True) -> dict[str, object]:
    """Returns the facts of an import."""
    return {"kind": kind, "source": "", "is_clean": is_clean, "check_message": ""}


# Of an image that came in an OCI archive, with its recipe.
EXPORTED: dict[str, object] = {
    "origin": Origin.IMPORTED,
    "run": None,
    "profile_version": None,
    "intake": intake("patina"),
}


def make_image(publish_image: Callable[..., int], name: str = "aged", **changes: Any) -> int:
    """Stores an image: ext4, 70 % full, readable. `recipe` changes members of it. Returns its id."""
    (settings().index_dir / f"{name}.caibx").write_bytes(name.encode())
    image_id = publish_image(f"{name}.caibx")
    with transaction() as session:
        image = session.get_one(Image, image_id)
        if changes.get("recipe"):
            changes["recipe"] = (image.recipe or {}) | changes["recipe"]
        values = {"name": name, "size_bytes": GIB, "fullness": 0.7, "layout": None}
        for column, value in (values | changes).items():
            setattr(image, column, value)
    return image_id


def trial_body(device_id: int, *image_ids: int, stable_id: str = "sandbox-1", **changes: object) -> dict[str, Any]:
    """Returns a valid request to start a trial."""
    body: dict[str, Any] = {
        "device_id": device_id,
        "arms": [{"image_id": image_id} for image_id in image_ids],
        "workloads": [{"kind": "find"}],
        "confirmation": {"stable_id": stable_id, "size_bytes": GIB, "typed": f"/dev/{stable_id}"},
    }
    return body | changes


def measurement(
    value: float, *, amplification: float | None = None, is_quiet: bool = True, predicted_s: float | None = None
) -> dict[str, Any]:
    """Returns what a worker measured."""
    counts = ("reads_count", "read_bytes", "writes_count", "written_bytes", "discarded_bytes", "flushes_count")
    traffic = {**dict.fromkeys(counts, 7), "elapsed_s": 41.0, "predicted_s": predicted_s}
    return {
        "value": value,
        "elapsed_s": 1.5,
        "mount_options": "noatime",
        "restoration": {"how": "restore", "elapsed_s": 0.25, "written_bytes": 4096},
        "background": {"jobs": [] if is_quiet else ["run 9"], "busy_fraction": 0.01, "is_quiet": is_quiet},
        "allocated": None,
        "device": traffic,
        "written_bytes": None if amplification is None else 7,
        "read_bytes": 0,
        "write_amplification": amplification,
        "traced": None,
        "operations": [],
        "samples": [],
        "steady_from_s": None,
        "figures": {"used_bytes": 8192.0},
        "output": None,
    }


def measured(trial_id: int, arm: int, workload: int, values: list[float], **how: Any) -> None:
    """Stores a measurement for each of the first repetitions of the workload on the arm."""
    with transaction() as session:
        for number, value in enumerate(values, start=1):
            row = session.scalars(
                select(Repetition).where(
                    Repetition.trial_id == trial_id,
                    Repetition.arm == arm,
                    Repetition.workload == workload,
                    Repetition.number == number,
                )
            ).one()
            row.measurement, row.state = measurement(value, **how), RepetitionState.DONE


def end(trial_id: int, state: JobState, **values: object) -> None:
    """Moves the trial to a state in which no worker has it, and releases its device."""
    if state == JobState.FAILED:
        values = {"error_code": "device_missing"} | values
    with transaction() as session:
        session.execute(update(Job).where(Job.id == trial_id).values(state=state, **values))
        lease.release(session=session, lease_id=session.get_one(Trial, trial_id).lease_id or 0)
