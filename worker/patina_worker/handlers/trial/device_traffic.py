"""The traffic of a block device, from its stat file (Documentation/block/stat.rst), and facts of its queue."""

import os
import time
from pathlib import Path

from patina.trial.measurement import DeviceTraffic

_SECTOR_BYTES = 512  # the unit of the stat file on every device
_TIMES = ("elapsed_s", "predicted_s")
_COUNTS = tuple(name for name in DeviceTraffic.model_fields if name not in _TIMES)


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
        elapsed_s=time.monotonic(),
        predicted_s=clock_s,
    )


def between(before: DeviceTraffic, after: DeviceTraffic) -> DeviceTraffic:
    """Returns the traffic from one reading to another."""
    counted = {name: getattr(after, name) - getattr(before, name) for name in _COUNTS}
    times = {name: _time_between(getattr(before, name), getattr(after, name)) for name in _TIMES}
    return DeviceTraffic(**counted, **times)


def _time_between(before: float | None, after: float | None) -> float | None:
    """Returns the time from one reading of a clock to another; None where it was set back, as by a new emulator."""
    return None if before is None or after is None or after < before else after - before


def total(*parts: DeviceTraffic) -> DeviceTraffic:
    """Returns the sum of the parts; a time only if each part has it."""
    counted = {name: sum(getattr(part, name) for part in parts) for name in _COUNTS}
    times = {name: [getattr(part, name) for part in parts] for name in _TIMES}
    return DeviceTraffic(**counted, **{name: None if None in found else sum(found) for name, found in times.items()})


def queue_value(path: str, name: str) -> str | None:
    """Returns a value of the device's queue; None where the kernel has none."""
    try:
        return (sys_folder(path) / "queue" / name).read_text(encoding="ascii").strip()
    except OSError:
        return None
