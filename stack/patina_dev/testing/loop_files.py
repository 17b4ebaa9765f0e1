"""Lists the loop devices of the machine."""

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path


def loop_files() -> dict[str, str]:
    """Returns the backing file of each loop device, by the device's path. A freed number is soon reused."""
    found = {}
    for shown in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):  # it was detached meanwhile
            found[f"/dev/{shown.parts[3]}"] = shown.read_text(encoding="utf-8").strip()
    return found


def disk_sequence(loop: str) -> int:
    """Returns a number that the device has only as long as one file stays attached: a freed device is soon reused."""
    return int(Path(f"/sys/block/{Path(loop).name}/diskseq").read_text(encoding="ascii"))


def loop_inodes() -> dict[str, tuple[int, int]]:
    """Returns the device number and inode of the file behind each loop device, by the device's path.

    A device is not in it if its file cannot be asked: the FUSE server of the file has ended.
    """
    argv = ["losetup", "--list", "--json", "--output=NAME,BACK-INO,BACK-MAJ:MIN"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    found = {}
    for each in json.loads(shown)["loopdevices"] if shown else ():
        if numbers := each["back-maj:min"]:
            major, minor = map(int, numbers.split(":"))
            found[each["name"]] = (os.makedev(major, minor), each["back-ino"])
    return found
