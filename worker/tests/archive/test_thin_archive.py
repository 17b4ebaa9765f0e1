"""Thin archives: an index and some of its chunks; the others are in the store of the server."""

import hashlib
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard

from fixture_types import MIB
from intakes import downloaded, image_of, intake_of, queue, refused, refused_now, taken_in
from patina.bucket.client import bucket
from patina.errors import PatinaError
from patina.image import oci
from patina.image.chunk import relative_path
from patina.image.chunks import bucket_path
from patina.image.content import Format
from patina.settings import settings
from patina_dev.testing.archive import CHUNKS, CONTENT, INDEX, INDEX_DIGEST, SIZE_BYTES, Layout, packed, thin
from patina_dev.testing.bucket import BucketServer
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.property import property_cases
from patina_dev.testing.store import CHUNK_BYTES, index_bytes, write_chunk
from patina_worker.handlers.image_import.archive import read_archive
from patina_worker.handlers.image_import.thin import unpack_thin
from patina_worker.handlers.image_import.unpack import Packed

pytestmark = pytest.mark.usefixtures("no_intake_left", "as_root")

PACKED = packed(CHUNKS)
DAMAGED = "file_damaged"


@pytest.fixture(autouse=True)
def empty_store() -> None:
    """Removes the chunks of other tests."""
    for chunk in CHUNKS:
        stored(chunk).unlink(missing_ok=True)


def stored(chunk: bytes) -> Path:
    return settings().store_dir / relative_path(hashlib.sha256(chunk).digest())


def test_an_image_is_made_of_what_the_archive_brings_and_the_store_has(tmp_path: Path) -> None:
    for chunk in CHUNKS[1:3]:
        write_chunk(settings().store_dir, chunk)
    image = image_of(taken_in(thin(PACKED[0], PACKED[3]).write(tmp_path / "a.tar")))
    assert (image.index_digest, image.size_bytes) == (INDEX_DIGEST, SIZE_BYTES)
    assert image.intake is not None
    assert image.intake.archive is not None
    assert image.intake.archive.name == "there"
    assert_same_content(downloaded(image.id, Format.RAW, tmp_path), CONTENT)


def test_a_chunk_that_comes_again_is_sent_once(tmp_path: Path) -> None:
    zeroes, data = bytes(CHUNK_BYTES), CHUNKS[0]
    content = [zeroes, data, zeroes, data, zeroes, b"\1" * 512]
    index = index_bytes((len(chunk), hashlib.sha256(chunk).digest()) for chunk in content)
    stored(zeroes).unlink(missing_ok=True)
    layout = thin(*packed([zeroes, data, content[-1]]), index=index, size_bytes=5 * CHUNK_BYTES + 512)
    image = image_of(taken_in(layout.write(tmp_path / "a.tar")))
    assert_same_content(downloaded(image.id, Format.RAW, tmp_path), b"".join(content))


def test_chunks_that_only_the_bucket_has_are_taken_from_it(remote: BucketServer, tmp_path: Path) -> None:
    there = bucket()
    assert there is not None
    for chunk, frame in zip(CHUNKS[:2], PACKED[:2], strict=True):
        there.put(bucket_path(hashlib.sha256(chunk).digest()), frame)
    image = image_of(taken_in(thin(*PACKED[2:]).write(tmp_path / "a.tar")))
    assert image.index_digest == INDEX_DIGEST
    there.put(bucket_path(hashlib.sha256(CHUNKS[0]).digest()), PACKED[1])
    stored(CHUNKS[0]).unlink()
    assert refused(thin(*PACKED[1:]).write(tmp_path / "b.tar"), name="second") == "chunk_corrupt"


def test_an_archive_that_brings_nothing_needs_all_chunks_in_the_store(tmp_path: Path) -> None:
    archive = thin().write(tmp_path / "a.tar")
    for chunk in CHUNKS:
        write_chunk(settings().store_dir, chunk)
    assert image_of(taken_in(archive)).index_digest == INDEX_DIGEST


def test_a_chunk_that_is_gone_from_the_store_is_named(tmp_path: Path) -> None:
    intake_id = queue(thin(*PACKED[:3]).write(tmp_path / "a.tar"))
    assert refused_now(intake_id) == "chunk_missing"
    message = intake_of(intake_id).message
    assert f"lacks the chunk {hashlib.sha256(CHUNKS[3]).hexdigest()}" in message
    assert "Push the image again" in message


def test_a_chunk_that_is_damaged_in_the_store_is_repaired_by_one_that_is_sent(tmp_path: Path) -> None:
    for chunk in CHUNKS:
        write_chunk(settings().store_dir, chunk)
    write_chunk(settings().store_dir, CHUNKS[2], packed=PACKED[1])
    intake_id = queue(thin().write(tmp_path / "a.tar"))
    assert refused_now(intake_id) == "chunk_corrupt"
    assert f"{hashlib.sha256(CHUNKS[2]).hexdigest()}" in intake_of(intake_id).message
    assert "--whole" in intake_of(intake_id).message
    assert image_of(taken_in(thin(*PACKED).write(tmp_path / "b.tar"))).index_digest == INDEX_DIGEST
    assert zstandard.decompress(stored(CHUNKS[2]).read_bytes()) == CHUNKS[2]


def _without_an_index() -> Layout:
    layout = thin(*PACKED)
    del layout.files[layout.path_of(INDEX)]
    return layout


def _with_a_changed_blob(content: Callable[[Layout], bytes]) -> Layout:
    layout = thin(*PACKED)
    found = content(layout)
    layout.files[layout.path_of(found)] = found[:-1] + bytes([found[-1] ^ 1])
    return layout


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (_without_an_index, DAMAGED, "lacks layer 0"),
        (lambda: thin(*PACKED, index_digest="1" * 64), DAMAGED, "its manifest names 11111"),
        (lambda: thin(*PACKED, index=INDEX[:-1]), DAMAGED, "truncated"),
        (lambda: thin(*PACKED, index=b""), DAMAGED, "truncated"),
        (lambda: thin(*PACKED, size_bytes=SIZE_BYTES + 512), DAMAGED, "is of 1.00 MiB (1,048,576 bytes)"),
        (lambda: thin(*PACKED, layer_type=oci.LAYER_TYPE), "archive_foreign", "a layer of type"),
        (lambda: thin(*PACKED, layer_type=oci.THIN_INDEX_TYPE), "archive_foreign", "a layer of type"),
        (lambda: _with_a_changed_blob(lambda layout: layout.layers[0]), DAMAGED, "layer 1 has the SHA-256"),
        (lambda: _with_a_changed_blob(lambda _: INDEX), DAMAGED, "layer 0 has the SHA-256"),
        (lambda: thin(*PACKED[:3], PACKED[3][:-9]), DAMAGED, "ends in the middle"),
        (lambda: thin(*PACKED, b"no zstd"), DAMAGED, "not whole chunks"),
        (lambda: thin(*PACKED, *packed([b"another"])), DAMAGED, hashlib.sha256(b"another").hexdigest()),
        (lambda: thin(*PACKED, PACKED[0]), DAMAGED, "does not name there"),
        (lambda: thin(*reversed(PACKED)), "chunk_missing", hashlib.sha256(CHUNKS[0]).hexdigest()),
        (lambda: thin(PACKED[0], zstandard.compress(bytes(2**30)), *PACKED[1:]), DAMAGED, "over 16777216 bytes"),
        (lambda: thin(*packed(CHUNKS[:3]), *packed([CHUNKS[3][:-1]])), "chunk_missing", "lacks the chunk"),
    ],
)
def test_what_is_wrong_with_a_thin_archive_is_named(
    tmp_path: Path, make: Callable[[], Layout], code: str, said: str
) -> None:
    intake_id = queue(make().write(tmp_path / "a.tar"))
    found, message = refused_now(intake_id), intake_of(intake_id).message
    assert (found, said in message) == (code, True), message


def test_an_image_of_other_chunks_than_a_capture_makes_is_refused(tmp_path: Path) -> None:
    """What is published is the index of the capture, never that of the archive."""
    parts = [CONTENT[at : at + 4096] for at in range(0, SIZE_BYTES, 4096)]
    index = index_bytes(((4096, hashlib.sha256(part).digest()) for part in parts), chunk_bytes=4096)
    intake_id = queue(thin(*packed(parts), index=index).write(tmp_path / "a.tar"))
    assert refused_now(intake_id) == DAMAGED
    assert "another image than its manifest names" in intake_of(intake_id).message


def test_no_damage_makes_another_image(tmp_path: Path) -> None:
    """An archive with some bytes changed, removed or repeated is refused, or unpacks to the same image."""
    whole = thin(*PACKED).write(tmp_path / "whole.tar").read_bytes()
    dice = random.Random(5)
    for number in range(property_cases(60)):
        archive, raw = tmp_path / f"{number}.tar", tmp_path / "raw"
        archive.write_bytes(_damaged(whole, dice))
        with archive.open("rb") as source, raw.open("w+b") as target, suppress(PatinaError):
            size_bytes = archive.stat().st_size
            found = read_archive(source.fileno(), size_bytes, limit_bytes=64 * MIB)
            assert found.index is not None
            spool = Packed(source.fileno(), None, size_bytes)  # type: ignore[arg-type]  # known before
            unpack_thin(spool, found, target.fileno(), check=lambda: None, on_progress=lambda *_: None)
            assert os.pread(target.fileno(), 2 * SIZE_BYTES, 0) == CONTENT, number
        archive.unlink()


def _damaged(whole: bytes, dice: random.Random) -> bytes:
    # Half of the places are in headers and documents, which are few of the bytes.
    ends = [at for at in range(0, len(whole), 512) if whole[at : at + 5] in (b"blobs", b"oci-l", b"index")]
    near = dice.choice(ends) + dice.randrange(2048)
    at = min(near if dice.random() < 0.5 else dice.randrange(len(whole)), len(whole) - 1)
    length = dice.choice([1, 1, 2, 8, 512, 4096])
    kind = dice.randrange(4)
    if kind == 0:
        return whole[:at] + bytes(b ^ dice.randrange(1, 256) for b in whole[at : at + length]) + whole[at + length :]
    if kind == 1:
        return whole[:at] + whole[at + length :]
    if kind == 2:
        return whole[: at + length] + whole[at:]
    return whole[:at]
