"""A row of the table of file systems: all differences between them in the backend and the worker."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MIB = 2**20
CORE = "patina-core"  # as the first word of a command
# For file systems whose free space the core cannot read.
EXACT_ALONE = dict.fromkeys(("allocated", "metadata"), "The core cannot read which blocks it uses.")


@dataclass(frozen=True)
class Magic:
    """Magic bytes of a file system, and their offset on the device."""

    offset_bytes: int
    value: bytes


@dataclass(frozen=True)
class MkfsOption:
    """An option of mkfs that a user may add: it names no file, device or identity. Its value, or each entry of a list,
    has one of the forms (`options.py`)."""

    forms: tuple[str, ...]
    is_list: bool = False  # separated by commas; an entry replaces the one of the same name


# Of every file system; mount(8).
MOUNT_OPTIONS = ("sync", "dirsync", "lazytime", "nolazytime")


@dataclass(frozen=True)
class FileSystemRow:
    """Commands and facts of a file system: how to make, mount, describe and check it. Commands take the device last."""

    magic: Magic
    capacity_bytes: Callable[[int], int]  # by the device's size; an estimate until mkfs has run
    mkfs: Callable[[str, int], list[str]]  # by UUID and the device's size
    describe: list[str]  # prints the features
    features: re.Pattern[str]  # matches the features in that output
    check: list[str]  # read-only; fails where a repair is needed
    package: str  # Debian's package of the commands
    tools: dict[str, str]  # each command whose version is recorded, and the flag that prints it
    least_device_bytes: int = 0  # mkfs refuses smaller ones, or leaves too little room on them
    has_uuid_of_seed: bool = True  # equal runs have equal UUIDs; otherwise it is random
    mount_options: str = ""  # in every mode, in addition to those of every file system
    emulated_mount_options: str = ""  # in addition, on emulated disks
    mkfs_options: Mapping[str, MkfsOption] = field(default_factory=dict)  # that a user may add, by their names
    own_mount_options: tuple[str, ...] = ()  # forms of those that a user may add
    unreplayed: re.Pattern[str] | None = None  # printed by `describe` or `check` where its log is not empty
    unmounted: re.Pattern[str] | None = None  # printed by `describe` only where it was unmounted
    device_option: str = ""  # of mkfs and check, before the device
    label: str = ""  # what blkid(8) shows besides `ext4`, where only that differs from an ext4
    # For one that the core serves by FUSE: the arguments of `shingle mount` for mount options.
    serve: Callable[[str], list[str]] | None = None
    refused_captures: Mapping[str, str] = field(default_factory=dict)  # unsupported capture modes, and why
    generated_captures: tuple[str, ...] = ()  # those of them that disks which generate file data support

    def on(self, command: list[str], path: str) -> list[str]:
        """Returns mkfs or check with the device."""
        return [*command, *([self.device_option] if self.device_option else []), path]

    def refused_captures_on(self, *, drops_data: bool) -> dict[str, str]:
        """Returns the unsupported capture modes, and why. `drops_data`: on an emulated disk that generates data."""
        return {
            mode: why
            for mode, why in self.refused_captures.items()
            if not (drops_data and mode in self.generated_captures)
        }
