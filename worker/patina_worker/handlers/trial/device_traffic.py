"""The traffic of a block device, from its stat file (Documentation/block/stat.rst), and facts of its queue."""

import os
from pathlib import Path

from patina.trial.measurement import DeviceTraffic

_SECTOR_BYTES = 512  # the unit of the stat file on every device


def sys_folder(path: str) -> Path:
    """Returns the folder of the device in sysfs."""
    number = os.stat(path).st_rdev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")


def read_traffic(path: str) -> DeviceTraffic:
    """Returns the device's traffic since it was attached."""
    words = [int(word) for word in (sys_folder(path) / "stat").read_text(encoding="ascii").split()]
    words += [0] * (17 - len(words))  # discards since Linux 4.18, flushes since 5.5
    return DeviceTraffic(
        reads_count=words[0],
        read_bytes=words[2] * _SECTOR_BYTES,
        writes_count=words[4],
        written_bytes=words[6] * _SECTOR_BYTES,
        discarded_bytes=words[13] * _SECTOR_BYTES,
        flushes_count=words[15],
    )


def between(before: DeviceTraffic, after: DeviceTraffic) -> DeviceTraffic:
    """Returns the traffic from one reading to another."""
    return DeviceTraffic(**{name: getattr(after, name) - getattr(before, name) for name in DeviceTraffic.model_fields})


def total(*parts: DeviceTraffic) -> DeviceTraffic:
    """Returns the sum of the parts."""
    return DeviceTraffic(**{name: sum(getattr(part, name) for part in parts) for name in DeviceTraffic.model_fields})


def queue_value(path: str, name: str) -> str | None:
    """Returns a value of the device's queue; None where the kernel has none."""
    try:
        return (sys_folder(path) / "queue" / name).read_text(encoding="ascii").strip()
    except OSError:
        return None
