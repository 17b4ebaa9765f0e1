"""Identifies the host's block devices and their content, and finds why one must not be written to."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from patina.device.facts import DeviceFacts, DiskHealth, PartitionFacts
from patina.file_system.table import UNKNOWN_CONTENT, name_of
from patina_worker.host import device_node
from patina_worker.host.device_users import Uses
from patina_worker.host.loop_device import Loop
from patina_worker.host.mounts import Mount
from patina_worker.tools.run import run_tool

_COLUMNS = "NAME,KNAME,PATH,MAJ:MIN,TYPE,SIZE,RO,ROTA,MODEL,SERIAL,WWN,TRAN,LOG-SEC,PHY-SEC,DISC-MAX"
_NOT_HARDWARE = re.compile(r"^(loop|ram|zram|nbd|fd|sr)\d")
# Mounted under a number of their own: of several devices, or served by a process.
_UNDER_OWN_NUMBERS = frozenset({"btrfs", "bcachefs", "fuse.smrfs"})
# Links in /dev/disk/by-id, the more lasting name first.
_BY_ID_ORDER = ("wwn-", "nvme-eui.", "nvme-uuid.", "nvme-", "ata-", "scsi-", "virtio-", "usb-")


@dataclass(frozen=True)
class Partition:
    """A part of a device."""

    path: str
    size_bytes: int
    number: str  # major:minor


@dataclass(frozen=True)
class BlockDevice:
    """A whole device as the kernel reports it."""

    path: str
    name: str
    stable_id: str
    size_bytes: int
    is_read_only: bool
    is_rotational: bool
    model: str | None
    serial: str | None
    wwn: str | None
    disk_sequence: int | None  # diskseq(5): null on kernels before 5.15
    transport: str | None  # "nvme", "sata", "usb"
    logical_sector_bytes: int
    physical_sector_bytes: int
    can_discard: bool
    partitions: tuple[Partition, ...]
    numbers: frozenset[str]  # major:minor of the device, its partitions and its holders
    holders: tuple[str, ...]  # devices on top of it other than partitions: "dm-0 (crypt)"


def _below(entry: dict[str, object]) -> list[dict[str, object]]:
    children = entry.get("children", [])
    assert isinstance(children, list)
    return [found for child in children for found in (child, *_below(child))]


def _stable_id(kname: str, serial: str | None, wwn: str | None) -> str:
    """Returns a name that survives a reboot: udev's, else the device's WWN or serial number, else its slot."""
    node_path = os.path.realpath(f"/dev/{kname}")
    links = [link.name for link in Path("/dev/disk/by-id").glob("*") if os.path.realpath(link) == node_path]
    for prefix in _BY_ID_ORDER:
        for link in sorted(links):
            if link.startswith(prefix):
                return link
    if wwn:
        return f"wwn-{wwn}"
    if serial:
        return f"serial-{serial}"
    place = os.path.realpath(f"/sys/block/{kname}").removeprefix("/sys/devices/").replace("/block/", "/")
    return "path-" + place.replace("/", "-")


def _word(value: object) -> str | None:
    text = str(value).strip() if value is not None else ""
    return text or None


def _disk_sequence(kname: str) -> int | None:
    try:
        return int(Path(f"/sys/block/{kname}/diskseq").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _block_device(entry: dict[str, object]) -> BlockDevice:
    below = _below(entry)
    serial, wwn = _word(entry["serial"]), _word(entry["wwn"])
    return BlockDevice(
        path=str(entry["path"]),
        name=str(entry["kname"]),
        stable_id=_stable_id(str(entry["kname"]), serial, wwn),
        size_bytes=int(str(entry["size"] or 0)),
        is_read_only=bool(entry["ro"]),
        is_rotational=bool(entry["rota"]),
        model=_word(entry["model"]),
        serial=serial,
        wwn=wwn,
        disk_sequence=_disk_sequence(str(entry["kname"])),
        transport=_word(entry["tran"]),
        logical_sector_bytes=int(str(entry["log-sec"] or 512)),
        physical_sector_bytes=int(str(entry["phy-sec"] or 512)),
        can_discard=int(str(entry["disc-max"] or 0)) > 0,
        partitions=tuple(
            Partition(path=str(each["path"]), size_bytes=int(str(each["size"] or 0)), number=str(each["maj:min"]))
            for each in below
            if each["type"] == "part"
        ),
        numbers=frozenset(str(each["maj:min"]) for each in (entry, *below)),
        holders=tuple(f"{each['name']} ({each['type']})" for each in below if each["type"] != "part"),
    )


def _list_blocks(*paths: str) -> list[BlockDevice]:
    done = run_tool(["lsblk", "-J", "-b", "-o", _COLUMNS, *paths], timeout_s=20)
    if done.returncode != 0 and not done.stdout.strip():
        return []
    return [_block_device(entry) for entry in json.loads(done.stdout)["blockdevices"]]


def find_device(path: str) -> BlockDevice | None:
    """Returns the whole device at `path`; None for a partition, or without one."""
    if not device_node.is_whole_disk(path):
        return None
    return next(iter(_list_blocks(path)), None)


def list_attached() -> list[BlockDevice]:
    """Returns every attached disk with a size; loop, memory and optical devices are left out."""
    found = [block for block in _list_blocks() if not _NOT_HARDWARE.match(block.name) and block.size_bytes > 0]
    return [block for block in found if device_node.is_whole_disk(block.path)]


def _is_swap(block: BlockDevice) -> bool:
    for line in Path("/proc/swaps").read_text(encoding="utf-8").splitlines()[1:]:
        area = Path(line.split()[0])
        if area.is_block_device():
            number = area.stat().st_rdev
            if f"{os.major(number)}:{os.minor(number)}" in block.numbers:
                return True
    return False


def _mounted_at(block: BlockDevice, mounts: set[Mount]) -> list[str]:
    """Returns where it or a partition of it is mounted. A file system of several devices is mounted under a number of
    its own, and its source names one of them. The source of any other may be arbitrary text."""

    def _is_source(mount: Mount) -> bool:
        if mount.kind not in _UNDER_OWN_NUMBERS:
            return False
        try:
            number = os.stat(mount.source).st_rdev
        except (OSError, ValueError):
            return False
        return f"{os.major(number)}:{os.minor(number)}" in block.numbers

    return sorted({m.target for m in mounts if m.number in block.numbers or _is_source(m)})


def _mounted_btrfs_of(block: BlockDevice) -> str | None:
    """Returns the UUID of the mounted btrfs it is part of. The kernel lists all of its devices, mount tables one."""
    names = {block.name, *(Path(part.path).name for part in block.partitions)}
    for link in Path("/sys/fs/btrfs").glob("*/devices/*"):
        if link.name in names:
            return link.parent.parent.name
    return None


def why_claimed(block: BlockDevice, mounts: set[Mount]) -> str | None:
    """Returns what in the kernel has claimed the device for itself: "mounted at /". None when nothing has."""
    targets = _mounted_at(block, mounts)
    if "/" in targets:
        return "the system disk, mounted at /"
    if targets:
        return f"mounted at {targets[0]}"
    if _is_swap(block):
        return "used as swap"
    if block.holders:
        return f"in use by {', '.join(block.holders)}"
    member_of = _mounted_btrfs_of(block)
    if member_of is not None:
        return f"a part of the mounted btrfs {member_of}"
    return None


def why_in_use(block: BlockDevice, uses: Uses) -> str | None:
    """Returns why the device is in use: "mounted at /". None when it is free."""
    claimed = why_claimed(block, uses.mounts)
    if claimed is not None:
        return claimed
    overlapping = _overlapping_loops(block, uses.loops)
    if overlapping:
        return f"behind {', '.join(overlapping)} as well"
    writer = next((uses.writers[number] for number in sorted(block.numbers) if number in uses.writers), None)
    if writer is not None:
        return f"open for writing by {writer}"
    if block.is_read_only:
        return "read-only"
    return None


def _overlapping_loops(block: BlockDevice, loops: list[Loop]) -> list[str]:
    """Returns other loop devices over the device, or over its file where it is a loop device: they share its data."""
    own = next((each for each in loops if each.number in block.numbers), None)
    return sorted(
        each.path
        for each in loops
        if each.number not in block.numbers
        and (each.over_device in block.numbers or (own is not None and each.file == own.file))
    )


def contents_of(block: BlockDevice) -> dict[str, str | None]:
    """Returns the content of the device and of each partition, by path."""
    whole = {block.path: holds(block.path, block.size_bytes)}
    return whole | {part.path: holds(part.path, part.size_bytes) for part in block.partitions}


def facts_of(
    block: BlockDevice, contents: dict[str, str | None], mounts: set[Mount], health: DiskHealth | None = None
) -> DeviceFacts:
    """Returns the facts that a user needs to see before anything is written to it."""
    return DeviceFacts(
        wwn=block.wwn,
        disk_sequence=block.disk_sequence,
        transport=block.transport,
        logical_sector_bytes=block.logical_sector_bytes,
        physical_sector_bytes=block.physical_sector_bytes,
        can_discard=block.can_discard,
        is_read_only=block.is_read_only,
        is_swap=_is_swap(block),
        mounted_at=_mounted_at(block, mounts),
        holders=list(block.holders),
        partitions=[
            PartitionFacts(
                path=part.path,
                size_bytes=part.size_bytes,
                holds=contents[part.path],
                mounted_at=sorted({m.target for m in mounts if m.number == part.number}),
            )
            for part in block.partitions
        ],
        health=health,
    )


def holds(path: str, size_bytes: int) -> str | None:
    """Returns its content: "ext4", "GPT partition table", "unrecognised content"; None when it is blank."""
    done = run_tool(["blkid", "-p", "-o", "export", path], timeout_s=20)
    found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    if "TYPE" in found:
        return name_of(found["TYPE"], found.get("LABEL"))
    if "PTTYPE" in found:
        return f"{ {'gpt': 'GPT', 'dos': 'DOS'}.get(found['PTTYPE'], found['PTTYPE']) } partition table"
    if done.returncode == 8:
        return "several signatures"
    try:
        return None if device_node.is_blank(path, size_bytes) else UNKNOWN_CONTENT
    except OSError as error:  # a kernel may deny even root a read
        return f"content that cannot be read ({error.strerror})"
