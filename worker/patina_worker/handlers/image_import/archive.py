"""Reads an OCI archive: finds its one image, and checks everything but the layers' bytes before any is unpacked.

Nothing is extracted: members are ranges of the file, whose names never become paths.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.image import oci
from patina.image.archived import ArchivedManifest
from patina.image_import.file_format import FileDamaged, check_image_size

HEADER_BYTES = 64 * 2**10  # of a long name or of extended headers, which tarfile reads whole
MEMBERS_COUNT = 4 * oci.MOST_LAYERS_COUNT
CONFIG_BYTES = 64 * 2**20
_LAYER_TYPES = {False: oci.LAYER_TYPE, True: oci.THIN_CHUNKS_TYPE}  # by whether the archive is thin

ArchiveForeign = PatinaError.of("archive_foreign", "Not an OCI archive of an image of Patina", status=422)


@dataclass(frozen=True)
class Blob:
    """A range of the file, and its SHA-256, hex."""

    offset: int
    size_bytes: int
    digest: str


@dataclass(frozen=True)
class Archive:
    """The image's layers, in order, and its manifest on the server that exported it. The layers of a thin archive
    (`index` is not null) consist of the chunks of the index that the archive brings."""

    manifest: ArchivedManifest
    manifest_digest: str
    layers: list[Blob]
    index: Blob | None


def read_archive(descriptor: int, file_bytes: int, *, limit_bytes: int) -> Archive:
    """Returns the one image of the archive. Raises FileDamaged, ArchiveForeign or ImageSizeRefused."""
    reader = _Reader(descriptor, _members(descriptor, file_bytes))
    if reader.document(oci.LAYOUT_FILE).get("imageLayoutVersion") != oci.LAYOUT_VERSION:
        raise ArchiveForeign(f"The archive's {oci.LAYOUT_FILE} is not of version {oci.LAYOUT_VERSION}.")
    manifests = _list_of(reader.document(oci.INDEX_FILE), "manifests", oci.INDEX_FILE)
    if len(manifests) != 1:
        raise ArchiveForeign(
            f"The archive has {len(manifests)} images. Copy the one to import into an archive of its own: "
            "skopeo copy oci-archive:ALL.tar:NAME oci-archive:ONE.tar."
        )
    manifest = reader.blob_document(manifests[0], "the manifest", oci.MANIFEST_BYTES)
    config = manifest.get("config")
    found = config.get("mediaType") if isinstance(config, dict) else None
    if found != oci.CONFIG_TYPE:
        raise ArchiveForeign(
            f"The archive has an image of another program: its config is {found!r}, not {oci.CONFIG_TYPE!r}. "
            "`patina image export` makes archives that can be imported."
        )
    content = reader.blob(config, "the config", CONFIG_BYTES)
    archived = _archived(content)
    check_image_size(archived.size_bytes, limit_bytes=limit_bytes)
    described = _list_of(manifest, "layers", "the manifest")
    is_thin = _type_of(next(iter(described), None)) == oci.THIN_INDEX_TYPE
    layers = [
        reader.find(layer, f"layer {number}")
        for number, layer in enumerate(described)
        if _is_of_type(layer, oci.THIN_INDEX_TYPE if is_thin and not number else _LAYER_TYPES[is_thin])
    ]
    index = layers.pop(0) if is_thin else None
    if index is not None and index.digest != archived.index_digest:
        raise FileDamaged(
            f"The archive has the index {index.digest}, and its manifest names {archived.index_digest}. Make it again."
        )
    return Archive(archived, hashlib.sha256(content).hexdigest(), layers, index)


class _Headers(io.RawIOBase):
    """The file as tarfile reads it: headers only, each of limited length."""

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        self._descriptor, self._size_bytes, self._at = descriptor, size_bytes, 0

    def read(self, length: int = -1) -> bytes:
        if not 0 <= length <= HEADER_BYTES:
            raise FileDamaged(
                f"The archive has a header of {length} bytes after byte {self._at}. It was not made by tar."
            )
        within_bytes = max(self._size_bytes - self._at, 0)  # a cut-off file ends before the place of its next header
        data = os.pread(self._descriptor, min(length, within_bytes), self._at)
        self._at += len(data)
        return data

    def seek(self, offset: int, _: int = 0) -> int:
        self._at = offset
        return offset

    def tell(self) -> int:
        return self._at


def _members(descriptor: int, file_bytes: int) -> dict[str, tuple[int, int]]:
    """Returns offset and size of the regular files, by name."""
    members: dict[str, tuple[int, int]] = {}
    try:
        with tarfile.open(fileobj=_Headers(descriptor, file_bytes), mode="r:") as tar:
            for number, member in enumerate(tar):
                if number >= MEMBERS_COUNT:
                    raise ArchiveForeign(f"The archive has more than {MEMBERS_COUNT} files: it is not one of Patina's.")
                _add(members, member, file_bytes)
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
        raise FileDamaged(f"The archive cannot be read as a tar file: {error}. Fetch or export it again.") from error
    return members


def _add(members: dict[str, tuple[int, int]], member: tarfile.TarInfo, file_bytes: int) -> None:
    parts = member.name.split("/")
    if member.name.startswith("/") or ".." in parts:
        raise ArchiveForeign(
            f"The archive names {member.name[:200]!r}, which leads out of it. Nothing was read from it."
        )
    if member.isdir():
        return
    name = "/".join(part for part in parts if part not in ("", "."))
    if not member.isreg() or member.issparse():
        raise ArchiveForeign(f"{name[:200]!r} in the archive is not a regular file. Nothing was read from it.")
    if name in members:
        raise FileDamaged(f"The archive has {name[:200]!r} twice. Export it again.")
    if member.size < 0 or member.offset_data + member.size > file_bytes:
        raise FileDamaged(f"The archive ends within {name[:200]!r}. Was the file cut off? Fetch or export it again.")
    members[name] = member.offset_data, member.size


class _Reader:
    """Reads small members and blobs, each checked."""

    def __init__(self, descriptor: int, members: dict[str, tuple[int, int]]) -> None:
        self._descriptor, self._members = descriptor, members

    def document(self, name: str) -> dict[str, Any]:
        """Returns a file of the layout, which is one JSON object."""
        if name not in self._members:
            raise ArchiveForeign(
                f"The tar file has no {name}: it is no OCI archive. `patina image export` makes one; of a registry's "
                "image, skopeo copy docker://PLACE oci-archive:FILE."
            )
        return _parsed(self._content(name, *self._members[name], oci.MANIFEST_BYTES), name)

    def find(self, descriptor: object, what: str) -> Blob:
        """Returns the place of a blob that a document describes."""
        if not isinstance(descriptor, dict):
            raise FileDamaged(f"The archive does not describe {what}. Export it again.")
        digest, size_bytes = descriptor.get("digest"), descriptor.get("size")
        algorithm, _, name = digest.partition(":") if isinstance(digest, str) else ("", "", "")
        if algorithm != "sha256" or len(name) != 64:
            raise FileDamaged(f"The digest of {what} is {str(digest)[:200]!r}, not a SHA-256. Export the image again.")
        found = self._members.get(oci.blob_path(f"sha256:{name}"))
        if found is None:
            raise FileDamaged(f"The archive lacks {what}, the blob {digest}. Export it again.")
        offset, found_bytes = found
        if found_bytes != size_bytes:
            raise FileDamaged(
                f"The blob {digest} of {what} does not have the size that the archive names, but "
                f"{exactly_bytes(found_bytes)}. Export it again."
            )
        return Blob(offset, found_bytes, name)

    def blob(self, descriptor: object, what: str, most_bytes: int) -> bytes:
        """Returns the content of a small blob."""
        blob = self.find(descriptor, what)
        content = self._content(what, blob.offset, blob.size_bytes, most_bytes)
        check_digest(blob, hashlib.sha256(content).hexdigest(), what)
        return content

    def blob_document(self, descriptor: object, what: str, most_bytes: int) -> dict[str, Any]:
        """Returns a blob that is one JSON object."""
        return _parsed(self.blob(descriptor, what, most_bytes), what)

    def _content(self, what: str, offset: int, size_bytes: int, most_bytes: int) -> bytes:
        if size_bytes > most_bytes:
            raise ArchiveForeign(
                f"{what} in the archive has {in_bytes(size_bytes)}, over the limit of {in_bytes(most_bytes)}."
            )
        return os.pread(self._descriptor, size_bytes, offset)


def check_digest(blob: Blob, found: str, what: str) -> None:
    """Raises FileDamaged unless the bytes of the blob have its digest."""
    if found != blob.digest:
        raise FileDamaged(
            f"The archive is damaged: {what} has the SHA-256 {found}, not {blob.digest}. Fetch or export it again."
        )


def _parsed(content: bytes, what: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileDamaged(f"{what} in the archive is not JSON ({error}). Export it again.") from error
    if not isinstance(document, dict):
        raise FileDamaged(f"{what} in the archive is not a JSON object. Export it again.")
    return document


def _list_of(document: dict[str, Any], member: str, what: str) -> list[object]:
    found = document.get(member)
    if not isinstance(found, list):
        raise FileDamaged(f"{what} in the archive has no list of {member}. Export it again.")
    return found


def _type_of(layer: object) -> object:
    return layer.get("mediaType") if isinstance(layer, dict) else None


def _is_of_type(layer: object, due: str) -> bool:
    found = _type_of(layer)
    if found != due:
        raise ArchiveForeign(f"The archive has a layer of type {found!r}, not {due!r}.")
    return True


def _archived(content: bytes) -> ArchivedManifest:
    document = _parsed(content, "the config")
    if not all(map(_can_be_stored, _leaves(document))):
        raise FileDamaged("The config in the archive has a value that no database can store. Export the image again.")
    try:
        return ArchivedManifest.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ArchiveForeign(
            f"The image's manifest in the archive is not one that this version of Patina reads: {where}: "
            f"{first['msg']}. Import it with the version that exported it, or a later one."
        ) from error


def _leaves(value: object) -> Iterator[object]:
    """Yields all texts and numbers of a document, also the names of its members."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _can_be_stored(value: object) -> bool:
    """Returns whether the value can be in a row: no NUL, no half of a surrogate pair, no number over 64 bits."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    return not isinstance(value, int | float) or -(2**63) <= value < 2**63
