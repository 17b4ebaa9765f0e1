"""Unpacks an imported file into a raw, sparse file: qcow2 by a confined qemu-img, raw.zst and the layers of an OCI
archive in this process."""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass

import zstandard

from patina.core.failure import StepFailed
from patina.figures import exactly_bytes, in_bytes
from patina.image.content import Format
from patina.image_import.file_format import SECTOR_BYTES, FileDamaged, FileFacts, check_image_size
from patina.image_import.sparse import write_sparse
from patina.settings import settings
from patina_worker.failure import FileRefused, ToolMissing
from patina_worker.handlers.image_import.archive import Archive, Blob, check_digest
from patina_worker.host import scratch
from patina_worker.tools.run import NOT_INSTALLED, Done
from patina_worker.tools.unprivileged import run_confined

PIECE_BYTES = 2**20
ZST_FEED_BYTES = 2**11  # four bytes of zstd may unpack to 128 KiB, and the output of one feed is in memory
ZST_WINDOW_BYTES = 2**27  # zstd's own limit without --long
LEAST_BYTES_PER_S = 5 * 2**20  # a disk that is slower has failed
QEMU_IMG_PATIENCE_S = 600.0
_LEAKS_ONLY = 3


@dataclass(frozen=True)
class Packed:
    """The imported file, open and locked until the job ends."""

    descriptor: int
    facts: FileFacts
    size_bytes: int


def unpack(packed: Packed, target: int, *, check: Callable[[], None], on_progress: Callable[[int, int], None]) -> None:
    """Unpacks a file that is not raw into the empty file `target`. FileDamaged, ImageSizeRefused or
    ScratchNoSpace."""
    with scratch.filling():
        if packed.facts.format is Format.QCOW2:
            _unpack_qcow2(packed, target, check=check, on_progress=on_progress)
        else:
            _unpack_zst(packed, target, check=check, on_progress=on_progress)


def _unpack_zst(
    packed: Packed, target: int, *, check: Callable[[], None], on_progress: Callable[[int, int], None]
) -> None:
    limit_bytes = settings().intake_quota_bytes

    def _read(offset: int, length: int) -> bytes:
        if offset % PIECE_BYTES == 0:
            check()
            on_progress(offset, packed.size_bytes)
        return os.pread(packed.descriptor, length, offset)

    def _refuse(image_bytes: int) -> None:
        whole_bytes = -(-image_bytes // SECTOR_BYTES) * SECTOR_BYTES
        check_image_size(whole_bytes, limit_bytes=limit_bytes)

    made_bytes = _unpack_frames(_read, packed.size_bytes, target, 0, limit_bytes, _refuse, what="raw.zst file")
    check_image_size(made_bytes, limit_bytes=limit_bytes)
    os.ftruncate(target, made_bytes)


def unpack_layers(
    packed: Packed,
    archive: Archive,
    target: int,
    *,
    check: Callable[[], None],
    on_progress: Callable[[int, int], None],
) -> None:
    """Unpacks the layers of an archive into the empty file `target`, and checks their digests. FileDamaged or
    ScratchNoSpace."""
    made_bytes, image_bytes = 0, archive.manifest.size_bytes
    with scratch.filling():
        for number, layer in enumerate(archive.layers):
            on_progress(made_bytes, image_bytes)
            made_bytes = _unpack_layer(
                packed.descriptor, layer, f"layer {number}", target, made_bytes, image_bytes, check
            )
        os.ftruncate(target, image_bytes)
    if made_bytes != image_bytes:
        raise FileDamaged(
            f"The layers of the archive unpack to {exactly_bytes(made_bytes)}, and its manifest names "
            f"{exactly_bytes(image_bytes)}. "
            "Export the image again."
        )


def _unpack_layer(
    source: int, layer: Blob, what: str, target: int, made_bytes: int, image_bytes: int, check: Callable[[], None]
) -> int:
    """Unpacks a layer to the bytes from `made_bytes` on. Returns the offset of its end."""
    sha = hashlib.sha256()

    def _read(offset: int, length: int) -> bytes:
        if offset % PIECE_BYTES == 0:
            check()
        piece = os.pread(source, length, layer.offset + offset)
        sha.update(piece)
        return piece

    def _refuse(_: int) -> None:
        raise FileDamaged(
            f"The layers of the archive unpack to more than the {exactly_bytes(image_bytes)} that its manifest names. "
            "Export the image again."
        )

    made_bytes = _unpack_frames(_read, layer.size_bytes, target, made_bytes, image_bytes, _refuse, what=what)
    check_digest(layer, sha.hexdigest(), what)
    return made_bytes


def _unpack_frames(
    read: Callable[[int, int], bytes],
    size_bytes: int,
    target: int,
    made_bytes: int,
    limit_bytes: int,
    refuse: Callable[[int], None],
    *,
    what: str,
) -> int:
    """Unpacks frame by frame to the offset `made_bytes` of `target`; the last frame must be complete. Returns the
    offset of the end. FileDamaged; past `limit_bytes` what `refuse` raises."""
    frames = zstandard.ZstdDecompressor(max_window_size=ZST_WINDOW_BYTES)
    frame, is_within = frames.decompressobj(), False
    for offset in range(0, size_bytes, ZST_FEED_BYTES):
        piece = read(offset, min(ZST_FEED_BYTES, size_bytes - offset))
        while piece:
            try:
                data = frame.decompress(piece)
            except zstandard.ZstdError as error:
                raise FileDamaged(f"The {what} is damaged after {in_bytes(made_bytes)} unpacked: {error}.") from error
            if made_bytes + len(data) > limit_bytes:
                refuse(made_bytes + len(data))
            write_sparse(target, data, made_bytes)
            made_bytes += len(data)
            piece, is_within = (frame.unused_data, False) if frame.eof else (b"", True)
            if frame.eof:
                frame = frames.decompressobj()
    if is_within:
        raise FileDamaged(f"The {what} ends in the middle, after {in_bytes(made_bytes)} unpacked. Fetch it again.")
    return made_bytes


def _unpack_qcow2(
    packed: Packed, target: int, *, check: Callable[[], None], on_progress: Callable[[int, int], None]
) -> None:
    """Runs qemu-img convert after qemu-img check: clusters behind the end of a truncated file would read as zeroes."""
    image_bytes = packed.facts.image_bytes
    assert image_bytes is not None
    source, place = (f"/proc/self/fd/{descriptor}" for descriptor in (packed.descriptor, target))
    patience_s = QEMU_IMG_PATIENCE_S + packed.size_bytes / LEAST_BYTES_PER_S
    # The tool's account opens both by their descriptors; no other account can reach them.
    os.fchmod(packed.descriptor, 0o644)
    os.fchmod(target, 0o666)
    os.ftruncate(target, image_bytes)
    checked = run_confined(
        ["qemu-img", "check", "-f", "qcow2", "--output=json", source],
        check=check,
        timeout_s=patience_s,
        files=(packed.descriptor,),
    )
    if checked.returncode not in (0, _LEAKS_ONLY):
        raise _refused(checked, "qemu-img check")
    done = run_confined(
        ["qemu-img", "convert", "-p", "-n", "--target-is-zero", "-f", "qcow2", "-O", "raw", source, place],
        check=check,
        timeout_s=patience_s,
        files=(packed.descriptor, target),
        file_bytes=image_bytes,
        on_fraction=lambda fraction: on_progress(int(fraction * image_bytes), image_bytes),
    )
    if done.returncode != 0:
        raise scratch.full() if "No space left" in done.stderr else _refused(done, "qemu-img convert")


def _refused(done: Done, tool: str) -> StepFailed:
    if done.returncode == NOT_INSTALLED:
        return ToolMissing(f"{tool} cannot be run on this host. Install qemu-utils there.", log=done.output)
    return FileRefused(
        f"{tool} of the qcow2 file failed with exit status {done.returncode}: {_reason(done)}", log=done.output
    )


def _reason(done: Done) -> str:
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output"
    return f"{found.get('corruptions', 0)} corruptions, {found.get('check-errors', 0)} errors. Was the file cut off?"
