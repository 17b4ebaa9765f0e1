"""The row of xfs."""

import re

from patina.file_system.row import MIB, FileSystemRow, Magic, MkfsOption

_GROUP_BYTES = 2**40  # the largest allocation group


def _capacity_bytes(size_bytes: int) -> int:
    """Returns the size without the log: a 2048th of the device, within 64 MiB and 2 GiB."""
    return size_bytes - min(max(size_bytes // 2048, 64 * MIB), 2048 * MIB)


def _mkfs(identity: str, size_bytes: int) -> list[str]:
    """Passes -f: old bytes may look like a file system, and the user has confirmed their loss."""
    groups_count = max(4, -(-size_bytes // _GROUP_BYTES))
    metadata = f"crc=1,finobt=1,rmapbt=0,reflink=1,bigtime=1,inobtcount=1,uuid={identity}"
    argv = ["mkfs.xfs", "-q", "-f", "-K", "-b", "size=4096", "-m", metadata]
    argv += ["-d", f"agcount={groups_count},noalign", "-i", "size=512,sparse=1,nrext64=0"]
    return [*argv, "-n", "size=4096,ftype=1", "-l", "internal=1,version=2,lazy-count=1"]


XFS = FileSystemRow(
    magic=Magic(0, b"XFSB"),
    least_device_bytes=300 * MIB,
    capacity_bytes=_capacity_bytes,
    mkfs=_mkfs,
    mount_options="nouuid",  # two runs with one seed make two file systems with one UUID, mounted at once
    describe=["xfs_db", "-r", "-c", "version"],
    features=re.compile(r"^versionnum .* = (.*)$", re.MULTILINE),
    check=["xfs_repair", "-n"],
    package="xfsprogs",
    tools={"mkfs.xfs": "-V"},
    mkfs_options={
        "-b": MkfsOption(("size=1024", "size=2048", "size=4096"), is_list=True),
        "-d": MkfsOption(("agcount=N",), is_list=True),
        "-i": MkfsOption(("size=N", "maxpct=N", "sparse=N", "nrext64=N"), is_list=True),
        "-l": MkfsOption(("size=SIZE",), is_list=True),
        "-m": MkfsOption(("crc=N", "finobt=N", "rmapbt=N", "reflink=N", "bigtime=N", "inobtcount=N"), is_list=True),
        "-n": MkfsOption(("size=N",), is_list=True),
        "-s": MkfsOption(("size=N",), is_list=True),
    },
    own_mount_options=(
        *("allocsize=SIZE", "logbsize=SIZE", "logbufs=N", "largeio", "nolargeio", "swalloc", "wsync"),
        *("inode32", "inode64", "noalign"),
    ),
    unreplayed=re.compile(r"metadata changes in a log"),
)
