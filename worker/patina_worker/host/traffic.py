"""Measures the traffic of devices: what the kernel counted between two heartbeats."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import and_, bindparam, select, update

from patina.db import transaction
from patina.device.facts import TrafficRate
from patina.device.models import Device, Lease
from patina.host.models import Host

_SECTOR_BYTES = 512  # of the kernel's counts, also where the device has larger sectors
_READ, _WRITTEN, _BUSY_MS = 2, 6, 9  # fields of Documentation/block/stat


class Meter:
    """The counts of devices as last read. For one thread."""

    def __init__(self, sysfs: Path = Path("/sys/block")) -> None:
        self._sysfs = sysfs
        self._before: dict[str, tuple[float, tuple[int, int, int]]] = {}
        self._leases: dict[str, int] = {}

    def begin(self, leases: dict[str, int]) -> None:
        """Takes the leases of devices by path. Under another lease the counts begin anew: those before are of another
        job."""
        self._before = {
            path: before for path, before in self._before.items() if leases.get(path) == self._leases.get(path)
        }
        self._leases = leases

    def measure(self, paths: Iterable[str]) -> dict[str, TrafficRate]:
        """Returns the traffic since the call before, by path; nothing of a device that was not read then, or whose
        counts began anew."""
        after = {path: (time.monotonic(), counts) for path in paths if (counts := self._counts(path)) is not None}
        at = datetime.now(UTC)
        found: dict[str, TrafficRate] = {}
        for path, (now, counts) in after.items():
            before = self._before.get(path)
            if before is None or now <= before[0]:
                continue
            over_s = now - before[0]
            read, written, busy_ms = (new - old for new, old in zip(counts, before[1], strict=True))
            if min(read, written, busy_ms) < 0:  # the device was detached and attached again
                continue
            found[path] = TrafficRate(
                read_bytes_per_s=read * _SECTOR_BYTES / over_s,
                written_bytes_per_s=written * _SECTOR_BYTES / over_s,
                busy_fraction=min(busy_ms / 1000 / over_s, 1.0),
                measured_at=at,
            )
        self._before = after
        return found

    def _counts(self, path: str) -> tuple[int, int, int] | None:
        try:
            words = (self._sysfs / Path(path).name / "stat").read_text(encoding="ascii").split()
            return int(words[_READ]), int(words[_WRITTEN]), int(words[_BUSY_MS])
        except (OSError, ValueError, IndexError):
            return None


def report(host: Host, meter: Meter) -> None:
    """Writes the traffic of the host's leased devices, and removes that of the others."""
    is_open = (Lease.device_id == Device.id, Lease.released_at.is_(None))
    leased = select(Lease.id).where(*is_open).exists()
    with transaction() as session:
        free = (Device.host_id == host.id, Device.traffic.is_not(None), ~leased)
        session.execute(update(Device).where(*free).values(traffic=None).execution_options(synchronize_session=False))
        of_host = (Device.host_id == host.id, Device.path.is_not(None))
        rows = session.execute(select(Device.id, Device.path, Lease.id).join(Lease, and_(*is_open)).where(*of_host))
        held = [(device_id, path, lease_id) for device_id, path, lease_id in rows if path is not None]
        paths = {device_id: path for device_id, path, _ in held}
        meter.begin({path: lease_id for _, path, lease_id in held})
        measured = meter.measure(paths.values())
        values = [
            {"row": device_id, "now": measured[path].model_dump(mode="json")}
            for device_id, path in sorted(paths.items())
            if path in measured
        ]
        if values:
            statement = update(Device).where(Device.id == bindparam("row")).values(traffic=bindparam("now"))
            session.connection().execute(statement, values)
