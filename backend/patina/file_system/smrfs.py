"""The row of SMRfs, which patina-core serves: a metadata partition, an ext4, and a shingled disk behind it."""

import re

from patina.core.contract.shingle import CLEANERS, PLACEMENTS
from patina.file_system.row import CORE, MIB, FileSystemRow, Magic, MkfsOption

LABEL = "patina-smrfs"  # of the metadata partition
_PARTITION_SHARE = 32
_LEAST_PARTITION_BYTES = 16 * MIB
# Options of the program; the others are the kernel's.
_OF_SERVER = ("policy", "reuse", "clean", "clean-below", "buffer")
_OF_KERNEL = ("noatime", "nodev", "nosuid", "noexec", "sync", "dirsync")


def _capacity_bytes(size_bytes: int) -> int:
    """Returns the size without the metadata partition. Gaps between bands are not known here."""
    return size_bytes - max(size_bytes // _PARTITION_SHARE, _LEAST_PARTITION_BYTES)


def _mkfs(identity: str, _: int) -> list[str]:
    return [CORE, "shingle", "format", "--uuid", identity, "--did", "16"]


def _serve(options: str) -> list[str]:
    """Returns the arguments for mount options: those of the program are options of its own."""
    pairs = [option.partition("=") for option in options.split(",")]
    words = [word for name, _, value in pairs if name in _OF_SERVER for word in (f"--{name}", value)]
    kernel = ",".join(name for name, _, _ in pairs if name in _OF_KERNEL)
    return [*words, "--options", kernel] if kernel else words


SMRFS = FileSystemRow(
    magic=Magic(1144, LABEL.encode()),
    label=LABEL,
    least_device_bytes=64 * MIB,
    capacity_bytes=_capacity_bytes,
    mkfs=_mkfs,
    device_option="--device",
    describe=["dumpe2fs", "-h"],
    features=re.compile(r"^Filesystem features:(.*)$", re.MULTILINE),
    check=[CORE, "shingle", "check"],
    package="e2fsprogs",
    tools={"mke2fs": "-V", "e2fsck": "-V"},
    mkfs_options={
        "--interface": MkfsOption(("caveat", "strict-append")),
        "--did": MkfsOption(("N",)),
        "--dnor": MkfsOption(("N",)),
        "--band": MkfsOption(("N", "NMiB", "NGiB")),
        "--partition": MkfsOption(("N", "NMiB", "NGiB")),
    },
    own_mount_options=(
        *(f"policy={name}" for name in PLACEMENTS),
        *(f"clean={name}" for name in CLEANERS),
        *("reuse=after-commit", "reuse=at-once", "clean-below=N", "buffer=N"),
    ),
    unreplayed=re.compile(r"^Filesystem features:.*needs_recovery", re.MULTILINE),
    serve=_serve,
)
