"""Looks whether devices still hold what they are known to hold: by their generation, so no device is read."""

import time
from datetime import UTC, datetime

import structlog
from sqlalchemy import select

from patina.db import transaction
from patina.delta import service as delta_service
from patina.delta.models import Holding
from patina.delta.record import Generation, generation_record
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.host.models import Host
from patina_worker import node
from patina_worker.failure import StepFailed
from patina_worker.native import run_core

log = structlog.get_logger()

LIMIT_S = 10.0  # an answer comes from memory; the heartbeat waits for it


def refresh(host: Host) -> None:
    """Bring what is known of this host's devices up to date."""
    at = datetime.now(UTC)
    with transaction() as session:
        rows = session.execute(
            select(Device.path, Device.id)
            .join(Holding, Holding.device_id == Device.id)
            .where(Device.host_id == host.id, Device.condition != DeviceCondition.LOST, Device.path.is_not(None))
        )
        device_ids = {path: device_id for path, device_id in rows if path is not None and node.is_whole_disk(path)}
    for path, generation in _generations(list(device_ids)).items():
        with transaction() as session:
            delta_service.see(session=session, device_id=device_ids[path], generation=generation, at=at)


def generation_of(path: str) -> str:
    """The generation of a device; empty where it is not known."""
    return _generations([path]).get(path, "")


def _generations(paths: list[str]) -> dict[str, str]:
    """The generation of each device; empty where it is not known."""
    found: dict[str, str] = {}
    if not paths:
        return found
    deadline = time.monotonic() + LIMIT_S
    try:
        run_core(
            ["generation", "--device", *paths],
            adapter=generation_record,
            on_record=lambda record: (
                found.update({record.device: record.generation or ""}) if isinstance(record, Generation) else None
            ),
            check=lambda: time.monotonic() > deadline,
        )
    except StepFailed as error:
        log.warning("generations not known", error=error.message)
    return {path: found[path] for path in paths if path in found}
