"""Unpacks a zip into memory, with limits, and trusts none of its metadata."""

import io
import re
import stat
import struct
import zipfile
import zlib

from patina.profile_import.refusal import ArchiveRefused, printable_name, shown
from patina.profile_import.source import SourceFile

MAX_ENTRIES_COUNT = 16
MAX_UNPACKED_BYTES = 4 * 2**20
_PIECE_BYTES = 64 * 2**10
_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
_DIRECTORY_ENTRY_MARK = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"^[A-Za-z]:")
# macOS adds this to every zip.
_MAC_FOLDER = "__MACOSX/"


def is_zip(content: bytes) -> bool:
    """Returns whether it begins as a zip, or as an empty one."""
    return content.startswith(_MARKS)


def unpack(file: SourceFile) -> list[SourceFile]:
    """Returns the archive's files. Raises ArchiveRefused for content that no valid archive of a profile has."""
    # Counted before the directory is parsed: a parsed entry takes many times its bytes of memory.
    entries_count = file.content.count(_DIRECTORY_ENTRY_MARK)
    if entries_count > MAX_ENTRIES_COUNT:
        raise ArchiveRefused(f"{file.name} has {entries_count} entries; the limit is {MAX_ENTRIES_COUNT}.")
    files: list[SourceFile] = []
    left_bytes = MAX_UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            for entry in archive.infolist():
                _check(file.name, entry)
                if entry.is_dir() or entry.filename.startswith(_MAC_FOLDER):
                    continue
                content = _content(file.name, archive, entry, left_bytes)
                left_bytes -= len(content)
                files.append(SourceFile(printable_name(entry.filename), content))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, struct.error, OSError) as error:
        raise ArchiveRefused(f"{file.name} is a damaged zip: {error}. Pack it again.") from error
    if not files:
        raise ArchiveRefused(f"{file.name} has no file in it. Pack Geriatrix's three texts, a JSON or a CSV file.")
    return files


def _check(archive_name: str, entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    parts = name.replace("\\", "/").split("/")
    complaint = None
    if name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in parts or "\0" in name:
        complaint = "has a name that leads out of the archive"
    elif stat.S_ISLNK(entry.external_attr >> 16):
        complaint = "is a link"
    elif entry.flag_bits & _ENCRYPTED:
        complaint = "is encrypted"
    elif entry.compress_type not in _METHODS:
        complaint = "is compressed in a way that is not taken (deflate is)"
    elif name.lower().endswith(".zip"):
        complaint = "is an archive again"
    if complaint is not None:
        raise ArchiveRefused(f"{archive_name}: {shown(name, 80)} {complaint}. Pack the plain files only.")


def _content(archive_name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit_bytes: int) -> bytes:
    """Unpacks an entry and counts its bytes: the entry's stated size may be false."""
    content = bytearray()
    with archive.open(entry) as packed:
        while piece := packed.read(_PIECE_BYTES):
            content += piece
            if len(content) > limit_bytes:
                raise ArchiveRefused(f"{archive_name} unpacks to more than {MAX_UNPACKED_BYTES // 2**20} MiB.")
    if is_zip(bytes(content[:4])):
        raise ArchiveRefused(f"{archive_name}: {shown(entry.filename, 80)} is an archive again. Pack the plain files.")
    return bytes(content)
