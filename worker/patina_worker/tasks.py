"""The worker's tasks. A message contains only an id; the database decides."""

from datetime import UTC, datetime

from pydantic import ValidationError
from sqlalchemy.orm import Session

import patina_worker.handlers.registry  # noqa: F401  # the handlers of `work`
from patina.db import take_turn, transaction
from patina.delta import service as delta_service
from patina.device import lease
from patina.device.emulation import Emulation
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.errors import PatinaError
from patina.file_name import FileNameRefused
from patina.host.models import Host
from patina.settings import settings
from patina_worker.app import app
from patina_worker.failure import SandboxFailed
from patina_worker.host import device_node, disk_report, sandbox
from patina_worker.jobs import runner
from patina_worker.jobs.claim import Claim, lease_ttl


def _is_ours(host: Host) -> bool:
    """Returns whether the host is this worker's: any client of the broker can put any message into any queue."""
    return host.name == settings().host_name


@app.task(name="patina.work")
def work(job_id: int) -> None:
    """Does a job. Delivered twice, it is done once."""
    runner.work(job_id)


@app.task(name="patina.make_sandbox")
def make_sandbox(device_id: int) -> None:
    """Makes the loop device of a locked row in condition `creating`: delivered twice, it is made once."""
    with transaction() as session:
        device = session.get(Device, device_id, with_for_update={"of": Device})
        if device is None or device.condition != DeviceCondition.CREATING or not _is_ours(device.host):
            return
        try:
            device.path = sandbox.make(
                stable_id=device.stable_id,
                medium=device.medium,
                size_bytes=device.size_bytes,
                emulation=None if device.emulation is None else Emulation.model_validate(device.emulation),
            )
            device.condition = DeviceCondition.READY
        except (FileNameRefused, SandboxFailed) as error:
            device.condition, device.condition_reason = DeviceCondition.FAILED, error.message
        except ValidationError:
            device.condition, device.condition_reason = DeviceCondition.FAILED, "its row has no valid emulation"
        device.seen_at = datetime.now(UTC)


@app.task(name="patina.inject_fault")
def inject_fault(device_id: int) -> None:
    """Sends the asked fault of a row to the emulator: delivered twice, it is sent once. The row is not locked while the
    emulator is waited for: the heartbeat writes to it."""
    with transaction() as session:
        take_turn(session, f"fault of device {device_id}")
        device = session.get(Device, device_id)
        if device is None or not _is_ours(device.host):
            return
        disk_report.send_fault(session, device)


@app.task(name="patina.remove_sandbox")
def remove_sandbox(device_id: int) -> None:
    """Removes the loop device and the file of a row in condition `removing`."""
    with transaction() as session:
        device = session.get(Device, device_id)
        claim = _claim_removal(session, device)
    if device is None or claim is None:
        return
    refusal = None
    try:
        if device.path is not None and device.path in sandbox.attached().values():
            with device_node.held(device.path), device_node.opened_alone(device.path):
                pass  # it is not in use
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
