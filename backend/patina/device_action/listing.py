"""The list of devices with what each holds and what is done on it, for one page."""

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session, lazyload, selectin_polymorphic

from patina.account.visibility import seen
from patina.delta.models import Holding
from patina.device import service as device_service
from patina.device.models import Device
from patina.device.schemas import DeviceRead
from patina.device_action.models import Action
from patina.device_action.schemas import DeviceItem, DeviceJob, DeviceList, HoldingRead
from patina.job.models import Job
from patina.job.state import ENDED

_JOBS = select(Job).options(lazyload("*"), selectin_polymorphic(Job, [Action]))


def list_devices(*, session: Session) -> DeviceList:
    """Returns the devices of all hosts: sandbox devices first, then attached ones by path."""
    devices = device_service.list_devices(session=session)
    ids = [device.id for device in devices]
    held = session.scalars(select(Holding).where(Holding.device_id.in_(ids)))
    holdings = {holding.device_id: HoldingRead.model_validate(holding) for holding in held}
    jobs = _open_jobs(session, ids)
    last = _newest_jobs(session, ids)
    items = [
        DeviceItem(
            **dict(DeviceRead.model_validate(device)),
            holding=holdings.get(device.id),
            jobs=jobs[device.id],
            last_job=None if jobs[device.id] else last.get(device.id),
        )
        for device in devices
    ]
    return DeviceList(items=items)


def _open_jobs(session: Session, device_ids: list[int]) -> dict[int, list[DeviceJob]]:
    """Returns the jobs on each device that have not ended: the one that holds it, then those that wait."""
    is_open = (Job.device_id.in_(device_ids), Job.state.not_in(ENDED), seen(Job))
    found: dict[int, list[DeviceJob]] = defaultdict(list)
    for job in session.scalars(_JOBS.where(*is_open).order_by(Job.is_waiting, Job.id)):
        found[job.device_id].append(DeviceJob.model_validate(job))
    return found


def _newest_jobs(session: Session, device_ids: list[int]) -> dict[int, DeviceJob]:
    """Returns the newest job on each device."""
    of_device = (Job.device_id == Device.id, seen(Job))
    newest = select(Job.id).where(*of_device).order_by(Job.id.desc()).limit(1).correlate(Device).scalar_subquery()
    ids = select(newest).where(Device.id.in_(device_ids))
    return {job.device_id: DeviceJob.model_validate(job) for job in session.scalars(_JOBS.where(Job.id.in_(ids)))}
