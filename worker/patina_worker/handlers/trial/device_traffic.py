"""The traffic of a block device, from its stat file (Documentation/block/stat.rst), and facts of its queue."""

import os
from pathlib import Path

from patina.trial.measurement import DeviceTraffic

_SECTOR_BYTES = 512  # the unit of the stat file on every device
_COUNTS = tuple(name for name in DeviceTraffic.model_fields if name != "predicted_s")


def sys_folder(path: str) -> Path:
    """Returns the folder of the device in sysfs."""
    number = os.stat(path).st_rdev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")


def read_traffic(path: str, *, clock_s: float | None = None) -> DeviceTraffic:
    """Returns the device's traffic since it was attached. `clock_s`: of the emulator, where it has a disk model."""
    words = [int(word) for word in (sys_folder(path) / "stat").read_text(encoding="ascii").split()]
    words += [0] * (17 - len(words))  # discards since Linux 4.18, flushes since 5.5
    return DeviceTraffic(
        reads_count=words[0],
        read_bytes=words[2] * _SECTOR_BYTES,
        writes_count=words[4],
        written_bytes=words[6] * _SECTOR_BYTES,
        discarded_bytes=words[13] * _SECTOR_BYTES,
        flushes_count=words[15],
        predicted_s=clock_s,
    )


def between(before: DeviceTraffic, after: DeviceTraffic) -> DeviceTraffic:
    """Returns the traffic from one reading to another."""
    counted = {name: getattr(after, name) - getattr(before, name) for name in _COUNTS}
    predicted = None
    if before.predicted_s is not None and after.predicted_s is not None:
        predicted = after.predicted_s - before.predicted_s
    return DeviceTraffic(**counted, predicted_s=predicted)


def total(*parts: DeviceTraffic) -> DeviceTraffic:
    """Returns the sum of the parts."""
    counted = {name: sum(getattr(part, name) for part in parts) for name in _COUNTS}
    predicted = [part.predicted_s for part in parts if part.predicted_s is not None]
    return DeviceTraffic(**counted, predicted_s=sum(predicted) if predicted and len(predicted) == len(parts) else None)


def queue_value(path: str, name: str) -> str | None:
    """Returns a value of the device's queue; None where the kernel has none."""
    try:
        return (sys_folder(path) / "queue" / name).read_text(encoding="ascii").strip()
    except OSError:
        return None
