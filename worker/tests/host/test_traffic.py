"""The traffic of devices between two heartbeats, and what disks say of their health."""

import json
import os
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox
from observe import device_of
from patina.db import transaction
from patina.device import lease
from patina.device.facts import DiskHealth
from patina.device.models import Device
from patina.host.models import Host
from patina_worker.host import traffic
from patina_worker.host.disk_health import parse
from patina_worker.host.traffic import Meter


def stat_of(folder: Path, *, read: int, written: int, busy_ms: int) -> None:
    fields = [0] * 17
    fields[2], fields[6], fields[9] = read, written, busy_ms
    (folder / "sda").mkdir(parents=True, exist_ok=True)
    (folder / "sda" / "stat").write_text(" ".join(map(str, fields)))


def test_the_traffic_is_what_was_counted_between_two_reads(tmp_path: Path) -> None:
    meter = Meter(tmp_path)
    stat_of(tmp_path, read=100, written=1000, busy_ms=5)
    assert meter.measure(["/dev/sda", "/dev/nowhere"]) == {}
    stat_of(tmp_path, read=100, written=1008, busy_ms=5)
    measured = meter.measure(["/dev/sda"])["/dev/sda"]
    assert measured.read_bytes_per_s == 0
    assert measured.written_bytes_per_s > 0
    assert measured.busy_fraction == 0


def test_counts_that_began_anew_measure_nothing(tmp_path: Path) -> None:
    meter = Meter(tmp_path)
    stat_of(tmp_path, read=100, written=1000, busy_ms=5)
    meter.measure(["/dev/sda"])
    stat_of(tmp_path, read=0, written=8, busy_ms=0)
    assert meter.measure(["/dev/sda"]) == {}
    stat_of(tmp_path, read=0, written=16, busy_ms=1)
    assert "/dev/sda" in meter.measure(["/dev/sda"])


@pytest.mark.usefixtures("as_root")
def test_a_leased_device_has_the_traffic_of_its_writes_and_a_free_one_none(
    make_sandbox: MakeSandbox, host_id: int
) -> None:
    device_id, meter = make_sandbox(), Meter()
    path = device_of(device_id).path
    assert path is not None
    with transaction() as session:
        host = session.get_one(Host, host_id)
        held = lease.acquire(session=session, device=session.get_one(Device, device_id), holder="a test").id
    traffic.report(host, meter)
    assert device_of(device_id).traffic is None
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, b"x" * MIB)
    os.fsync(descriptor)
    os.close(descriptor)
    traffic.report(host, meter)
    measured = device_of(device_id).traffic
    assert measured is not None
    assert measured["written_bytes_per_s"] > 0
    with transaction() as session:
        lease.release(session=session, lease_id=held)
        session.get_one(Device, device_id).traffic = None
    with transaction() as session:  # the next job holds it before the next heartbeat
        device = session.get_one(Device, device_id)
        held = lease.acquire(session=session, device=device, holder="the next test").id
    traffic.report(host, meter)
    assert device_of(device_id).traffic is None, "what was written before is of another job"
    traffic.report(host, meter)
    assert device_of(device_id).traffic is not None
    with transaction() as session:
        lease.release(session=session, lease_id=held)
    traffic.report(host, meter)
    assert device_of(device_id).traffic is None


# As smartctl 7.3 prints them, of an ATA and of an NVMe disk; other members are left out.
ATA = {
    "smartctl": {"version": [7, 3], "exit_status": 0},
    "smart_status": {"passed": False},
    "ata_smart_attributes": {
        "table": [
            {"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 8, "string": "8"}},
            {"id": 197, "name": "Current_Pending_Sector", "raw": {"value": 3, "string": "3"}},
        ]
    },
    "power_on_time": {"hours": 31245},
    "temperature": {"current": 41},
}
NVME = {
    "smartctl": {"version": [7, 3], "exit_status": 0},
    "smart_status": {"passed": True, "nvme": {"value": 0}},
    "nvme_smart_health_information_log": {"percentage_used": 104, "media_errors": 0, "temperature": 36},
    "temperature": {"current": 36},
    "power_on_time": {"hours": 512},
}
SAYS_NOTHING = dict.fromkeys(DiskHealth.model_fields)


@pytest.mark.parametrize(
    ("said", "members"),
    [
        (
            ATA,
            {
                "has_passed": False,
                "temperature_celsius": 41,
                "power_on_hours": 31245,
                "reallocated_sectors_count": 8,
                "pending_sectors_count": 3,
            },
        ),
        (
            NVME,
            {
                "has_passed": True,
                "temperature_celsius": 36,
                "power_on_hours": 512,
                "used_percent": 104,
                "media_errors_count": 0,
            },
        ),
    ],
)
def test_the_health_is_what_the_disk_says(said: dict[str, object], members: dict[str, object]) -> None:
    health = parse(json.dumps(said))
    assert health is not None
    assert health.model_dump() == SAYS_NOTHING | members


NO_HEALTH = ["", "no JSON", "[]", "{}", '{"smartctl": {"exit_status": 1}}', '{"smart_status": 3}']
NO_HEALTH += ['{"temperature": {"current": "hot"}}']


@pytest.mark.parametrize("said", NO_HEALTH)
def test_a_disk_that_says_nothing_has_no_health(said: str) -> None:
    assert parse(said) is None
