"""Lists the loop devices of the machine."""

from contextlib import suppress
from pathlib import Path


def loop_files() -> dict[str, str]:
    """The backing file of each loop device, by the device's path. A number that was freed is soon used again."""
    found = {}
    for shown in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):  # it went meanwhile
            found[f"/dev/{shown.parts[3]}"] = shown.read_text(encoding="utf-8").strip()
    return found
