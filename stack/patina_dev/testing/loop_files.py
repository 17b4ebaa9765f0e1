"""Lists the loop devices of the machine."""

from contextlib import suppress
from pathlib import Path


def loop_files() -> dict[str, str]:
    """Returns the backing file of each loop device, by the device's path. A freed number is soon reused."""
    found = {}
    for shown in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):  # it was detached meanwhile
            found[f"/dev/{shown.parts[3]}"] = shown.read_text(encoding="utf-8").strip()
    return found
