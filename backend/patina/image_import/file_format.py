"""Detects a file's format by its first bytes, and refuses unsupported ones. See QEMU's docs/interop/qcow2.

Called when the first bytes have arrived, so that a bad upload fails early, and again before the file is read as an
image: a qcow2 image may name other files, and reading them for a user would disclose the server's own.
"""

import struct
from dataclasses import dataclass

from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.image.content import Format

HEAD_BYTES = 512
SECTOR_BYTES = 512

_QCOW2_MAGIC = b"QFI\xfb"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257
_QCOW2_FIELDS = struct.Struct(">4sIQIIQIIQQIIQ")  # version 2; version 3 adds features
_VERSION_3_BYTES = 104
_FEATURES = struct.Struct(">Q")
_CORRUPT, _DATA_FILE = 1 << 1, 1 << 2
# Dirty bit, compression type, subclusters: qemu-img reads them.
_UNDERSTOOD = 1 << 0 | 1 << 3 | 1 << 4


FormatContradicted = PatinaError.of("format_contradicted", "The file has another format", status=422)
Qcow2NeedsMore = PatinaError.of("qcow2_needs_more", "The qcow2 file is not the whole image", status=422)
FileDamaged = PatinaError.of("file_damaged", "The file is damaged", status=422)
ImageSizeRefused = PatinaError.of("image_size_refused", "No size for an image", status=422)


@dataclass(frozen=True)
class FileFacts:
    """Facts from the head of a file."""

    format: Format
    image_bytes: int | None  # null: known only after unpacking


def recognize(head: bytes, *, file_bytes: int, said: Format | None, limit_bytes: int) -> FileFacts:
    """Returns the file's format and its image's size. Raises the reason why the file is refused."""
    found = _format_of(head)
    if said is not None and said != found:
        raise FormatContradicted(f"The file was declared as {said}, but its first bytes are {_NAMES[found]}.")
    if found in (Format.RAW_ZST, Format.OCI):
        return FileFacts(found, None)
    image_bytes = file_bytes if found is Format.RAW else _qcow2_bytes(head)
    check_image_size(image_bytes, limit_bytes=limit_bytes)
    return FileFacts(found, image_bytes)


_NAMES = {
    Format.RAW: "neither qcow2's nor zstd's nor tar's, so it is raw",
    Format.RAW_ZST: "zstd's",
    Format.QCOW2: "qcow2's",
    Format.OCI: "tar's",
}


def _format_of(head: bytes) -> Format:
    if head.startswith(_QCOW2_MAGIC):
        return Format.QCOW2
    if head[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        return Format.OCI
    return Format.RAW_ZST if head.startswith(_ZSTD_MAGIC) else Format.RAW


def check_image_size(image_bytes: int, *, limit_bytes: int) -> None:
    """Raises ImageSizeRefused unless a device on this server can have this size."""
    if image_bytes == 0 or image_bytes % SECTOR_BYTES:
        raise ImageSizeRefused(
            f"The image has {exactly_bytes(image_bytes)}; a device has whole sectors of {SECTOR_BYTES} B. "
            f"Was the file cut off? If it is whole, pad it with zeroes: truncate --size=%{SECTOR_BYTES} FILE."
        )
    if image_bytes > limit_bytes:
        raise ImageSizeRefused(
            f"The image would have {in_bytes(image_bytes)}, and this server takes in {in_bytes(limit_bytes)} at most. "
            "Raise PATINA_INTAKE_QUOTA_BYTES."
        )


def _qcow2_bytes(head: bytes) -> int:
    """Returns the size of the image in a qcow2 file that needs neither another file nor a key."""
    if len(head) < _VERSION_3_BYTES + _FEATURES.size:
        raise FileDamaged("The file begins as qcow2 and ends within its header. Make or fetch it again.")
    _, version, backing_at, backing_length, cluster_bits, image_bytes, key, *_ = _QCOW2_FIELDS.unpack_from(head)
    if version not in (2, 3) or not 9 <= cluster_bits <= 21:
        raise FileDamaged(
            f"The file begins as qcow2, but has version {version} and clusters of 2^{cluster_bits} bytes. "
            "Make it again with a current qemu-img."
        )
    if backing_at or backing_length:
        raise Qcow2NeedsMore(
            "The qcow2 file holds only what differs from a backing file. "
            "Join the two first: qemu-img convert -O qcow2 FILE WHOLE.qcow2."
        )
    if key:
        raise Qcow2NeedsMore("The qcow2 file is encrypted. Decrypt it first with qemu-img convert.")
    features = _FEATURES.unpack_from(head, _QCOW2_FIELDS.size)[0] if version == 3 else 0
    if features & _DATA_FILE:
        raise Qcow2NeedsMore(
            "The qcow2 file keeps its data in another file. "
            "Join the two first: qemu-img convert -O qcow2 FILE WHOLE.qcow2."
        )
    if features & _CORRUPT:
        raise FileDamaged("The qcow2 file is marked as corrupt. Repair it first: qemu-img check -r all FILE.")
    if features & ~_UNDERSTOOD:
        raise Qcow2NeedsMore(
            f"The qcow2 file has features that are not known here ({features & ~_UNDERSTOOD:#x}). "
            "Convert it with qemu-img convert -O qcow2."
        )
    return int(image_bytes)
