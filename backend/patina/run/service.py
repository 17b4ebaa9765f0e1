"""Starts and reads runs."""

import secrets

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, joinedload, lazyload, load_only

from patina.account.visibility import Shared, begin, is_seen
from patina.device import service as device_service
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.device.users import require_usable
from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.forecast import service as forecast_service
from patina.forecast.schemas import ForecastCreate
from patina.host import service as host_service
from patina.job import service as job_service
from patina.job import waiting
from patina.job.state import JobState
from patina.profile import service as profile_service
from patina.profile.models import Profile, ProfileVersion
from patina.run import choice
from patina.run.models import Run
from patina.run.replay import check_replay
from patina.run.schemas import Confirmation, RunCreate, RunRead
from patina.run.settings import RunSettings

# Columns shown of the host, the lease and the profile.
_BY_ID = (
    select(Run)
    .where(Run.id == bindparam("run_id"))
    .options(
        joinedload(Run.device).options(
            joinedload(Device.host).load_only(*device_service.SAID_OF_HOST), joinedload(Device.active_lease)
        ),
        lazyload(Run.lease),
        lazyload(Run.host),
        joinedload(Run.profile_version).options(
            load_only(ProfileVersion.number),
            joinedload(ProfileVersion.profile).options(
                load_only(Profile.name, Profile.title), lazyload(Profile.latest_version)
            ),
        ),
    )
)


DeviceProtected = PatinaError.of("device_protected", "This device is protected", status=409)
DeviceNotReady = PatinaError.of("device_not_ready", "This device is not ready yet", status=409)
ConfirmationMismatch = PatinaError.of("confirmation_mismatch", "The confirmation does not match", status=409)


def get_run(*, session: Session, run_id: int) -> Run:
    """Returns the run. Raises JobUnknown."""
    run = session.scalar(_BY_ID, {"run_id": run_id})
    if run is None or not is_seen(run):
        raise job_service.JobUnknown(f"There is no run {run_id}. Look at the list of runs.")
    return run


def read(*, session: Session, run: Run) -> RunRead:
    """Returns the run as the API shows it."""
    session.flush()
    names = RunRead.model_fields.keys() - RunSettings.model_fields.keys()
    own = {name: getattr(run, name) for name in names if hasattr(run, name)}
    return RunRead.model_validate(run.settings | own | {"profile": run.profile}, from_attributes=True)


def check_device(
    device: Device,
    confirmation: Confirmation,
    *,
    overwrites: bool,
    what: str,
    will_hold: bool = False,
    loss: str = "all of it will be destroyed",
) -> None:
    """Refuses devices that the sender may not use, protected and unconfirmed ones. The worker repeats all checks right
    before it writes. `loss`: what the sender confirms."""
    require_usable(device)
    name = device.path or device.stable_id
    if device.condition == DeviceCondition.PROTECTED:
        raise DeviceProtected(f"Device {name} is protected: {device.condition_reason}. Patina does not write to it.")
    if device.condition != DeviceCondition.READY:
        why = f" ({device.condition_reason})" if device.condition_reason else ""
        raise DeviceNotReady(f"Device {name} is {device.condition}{why}, not ready to {what}.")
    if (confirmation.stable_id, confirmation.size_bytes) != (device.stable_id, device.size_bytes):
        raise ConfirmationMismatch(
            f"You confirmed {confirmation.stable_id} with {exactly_bytes(confirmation.size_bytes)}, but device "
            f"{device.id} is {device.stable_id} with {exactly_bytes(device.size_bytes)}. Look at the device again."
        )
    words = {word for word in (device.serial, device.path, device.name) if word}
    if overwrites and (device.holds or will_hold) and confirmation.typed not in words:
        raise ConfirmationMismatch(
            f"Device {name} holds {device.holds or 'content that a job is writing now'}. Confirm that {loss}: give its "
            f"serial, path or name ({' or '.join(sorted(words))})."
        )


def _in_force(create: RunCreate, device: Device, version: ProfileVersion | None) -> dict[str, object]:
    """Returns the settings in force: with a seed, the number of the profile's version, the
    capture mode and the options of a shingled disk."""
    asked = create.model_dump(mode="json", include=set(RunSettings.model_fields))
    seed = secrets.randbelow(2**53) if create.seed is None else create.seed
    mkfs, mount = choice.options_of(create, device)
    chosen = {"seed": seed, "capture_mode": choice.capture_mode_of(create, device)}
    options = {"added_mkfs_options": mkfs, "added_mount_options": mount}
    return asked | chosen | options | {"profile_version_number": version and version.number}


def _version_of(session: Session, create: RunCreate) -> ProfileVersion | None:
    """Returns the requested version of the profile, by default the latest; None for a workload."""
    if create.profile is None:
        return None
    return profile_service.version_of(session=session, name=create.profile, number=create.profile_version_number)


def _source_of(session: Session, create: RunCreate, version: ProfileVersion | None) -> Shared | None:
    """Returns the profile, or the run whose operations are replayed."""
    if version is not None:
        return version.profile
    return None if create.replay_of is None else session.get(Run, create.replay_of)


def start_run(
    *,
    session: Session,
    create: RunCreate,
    idempotency_key: str | None,
    batch_id: int | None = None,
    reproduces_id: int | None = None,
    source: Shared | None = None,
) -> Run:
    """Queues an aging: checks, forecast, lease, row, event, message. The same key returns the same run.
    `reproduces_id`: the image whose recipe has given the settings; `source`: what has given them."""
    request = create.model_dump(mode="json", exclude={"confirmation"})
    if reproduces_id is not None:
        request["reproduces_id"] = reproduces_id
    earlier = job_service.submitted_with(session=session, model=Run, key=idempotency_key, request=request)
    if earlier is not None:
        return earlier
    version = _version_of(session, create)
    device = device_service.get_device(session=session, device_id=create.device_id)
    if not create.waits:
        host_service.require_heard(device.host)
    held = waiting.hold_or_wait(session=session, device=device, waits=create.waits, holder="a run about to start")
    check_device(device, create.confirmation, overwrites=True, what="age", will_hold=held is None)
    choice.check(session=session, device=device, create=create)
    capacity_bytes = device.capacity_estimate_bytes(create.file_system)
    check_replay(session=session, device=device, settings=create, capacity_bytes=capacity_bytes)
    if version is not None:
        same = set(ForecastCreate.model_fields) & set(RunCreate.model_fields) - {"profile_version_number"}
        asked = create.model_dump(include=same) | {"profile_version_number": version.number}
        forecast_service.make_forecast(session=session, create=ForecastCreate(capacity_bytes=capacity_bytes, **asked))
    run = Run(
        host=device.host,
        device=device,
        profile_version=version,
        lease=held,
        settings=_in_force(create, device, version),
        note=create.note,
        resumes_left_count=job_service.AUTOMATIC_RESUMES_COUNT,
        confirmed=device.confirmed,
        idempotency_key=idempotency_key,
        request=request,
        batch_id=batch_id,
        state=JobState.QUEUED,
    )
    begin(session=session, row=run, asked=create.sharing, sources=[source, _source_of(session, create, version)])
    message = f"Queued for {device.path}" if held else f"Waits until {device.path} is free"
    if not device.host.is_healthy:
        message = f"{message}; {device.host.silence}"
    return job_service.submit(session=session, job=run, message=message)
