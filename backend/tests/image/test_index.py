"""Untrusted indexes and chunks: they are read correctly, or refused."""

import hashlib
import os
import random
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from patina.image.chunk import relative_path
from patina.image.chunks import ChunkCorrupt, ChunkMissing, ChunkReader, ChunkStore, ChunkUnknown
from patina.image.index import Entry, Index, IndexInvalid
from patina_dev.testing.store import index_bytes, write_chunk

CHUNK = 4096
lengths = st.lists(st.integers(1, CHUNK), max_size=20)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _entries(sizes: list[int]) -> list[tuple[int, bytes]]:
    return [(size, hashlib.sha256(struct.pack("<2Q", size, number)).digest()) for number, size in enumerate(sizes)]


def _opened(folder: Path, content: bytes) -> Index:
    path = folder / "index.caibx"
    path.write_bytes(content)
    return Index(path, hashlib.sha256(content).hexdigest())


@given(lengths)
def test_an_index_reads_back_as_it_was_written(folder: Path, sizes: list[int]) -> None:
    written = _entries(sizes)
    with _opened(folder, index_bytes(written, CHUNK)) as index:
        entries = list(index.entries())
        assert [(entry.length_bytes, entry.digest) for entry in entries] == written
        assert index.facts.image_bytes == sum(sizes)
        assert index.facts.chunks_count == len(sizes)
        for position, entry in enumerate(entries):
            assert index.position_at(entry.offset_bytes) == index.position_at(entry.end_bytes - 1) == position
            assert list(index.entries(position)) == entries[position:]


def test_an_index_of_more_than_one_block_reads_from_anywhere(folder: Path) -> None:
    written = _entries([1 + number % 7 for number in range(10_000)])
    with _opened(folder, index_bytes(written, CHUNK)) as index:
        entries = list(index.entries())
        assert len(entries) == 10_000
        for entry in random.Random(1).sample(entries, 50):
            assert next(index.entries(index.position_at(entry.offset_bytes))) == entry


@given(lengths, st.data())
def test_no_changed_byte_of_a_frame_is_believed(folder: Path, sizes: list[int], data: st.DataObject) -> None:
    """Any flipped bit outside the entries is refused, except in unused flags and in sizes still in order."""
    content = bytearray(index_bytes(_entries(sizes), CHUNK))
    frame = [*range(16), *range(48, 64), *range(len(content) - 40, len(content))]
    content[data.draw(st.sampled_from(frame))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(IndexInvalid):
        _opened(folder, bytes(content))


@given(lengths, st.data())
def test_an_index_cut_or_grown_at_any_place_is_refused(folder: Path, sizes: list[int], data: st.DataObject) -> None:
    content = index_bytes(_entries(sizes), CHUNK)
    cut = data.draw(st.integers(0, len(content) - 1))
    for wrong in (content[:cut], content + content[: cut + 1]):
        with pytest.raises(IndexInvalid):
            _opened(folder, wrong)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8))
def test_ends_that_do_not_ascend_by_at_most_a_chunk_are_refused(folder: Path, ends: list[int]) -> None:
    frame = index_bytes([], CHUNK)
    table = b"".join(struct.pack("<Q32s", end, bytes(32)) for end in ends)
    tail = frame[64:88] + struct.pack("<2Q", 56 + len(table), 0x4B4F050E5549ECD1)
    steps = [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if all(0 < step <= CHUNK for step in steps):
        assert _opened(folder, frame[:64] + table + tail).facts.image_bytes == ends[-1]
    else:
        with pytest.raises(IndexInvalid):
            _opened(folder, frame[:64] + table + tail)


@given(st.binary(max_size=400))
def test_noise_is_refused(folder: Path, noise: bytes) -> None:
    with pytest.raises(IndexInvalid):
        _opened(folder, noise)


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (16, 0xB000000000000000, "SHA-512/256"),
        (24, 0, "chunk sizes"),
        (24, CHUNK + 1, "chunk sizes"),
        (40, 32 * 2**20, "over the limit"),
    ],
)
def test_a_header_that_is_not_ours_is_refused_with_its_reason(folder: Path, at: int, value: int, reason: str) -> None:
    content = bytearray(index_bytes(_entries([CHUNK]), CHUNK))
    struct.pack_into("<Q", content, at, value)
    with pytest.raises(IndexInvalid, match=reason):
        _opened(folder, bytes(content))


def test_what_is_not_a_regular_file_is_refused_at_once(folder: Path) -> None:
    fifo = folder / "fifo.caibx"
    os.mkfifo(fifo)
    for path in (fifo, folder, folder / "nothing.caibx"):
        with pytest.raises(IndexInvalid):
            Index(path, "")


def test_an_index_that_is_not_the_catalogs_is_refused(folder: Path) -> None:
    (folder / "index.caibx").write_bytes(index_bytes([], CHUNK))
    with pytest.raises(IndexInvalid, match="not 0000"):
        Index(folder / "index.caibx", "0000")


def test_an_index_that_shrinks_while_it_is_read_is_refused(folder: Path) -> None:
    with _opened(folder, index_bytes(_entries([CHUNK] * 9000), CHUNK)) as index:
        entries = index.entries()
        next(entries)
        os.truncate(folder / "index.caibx", 5000 * 40)
        with pytest.raises(IndexInvalid, match="to its end"):
            list(entries)


@given(st.binary(min_size=1, max_size=CHUNK))
def test_a_chunk_reads_back_as_it_was_stored(folder: Path, data: bytes) -> None:
    digest = write_chunk(folder, data)
    assert ChunkReader(ChunkStore(folder)).data(Entry(0, len(data), digest)) == data


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_damaged_chunk_is_never_handed_out(folder: Path, data: bytes, draw: st.DataObject) -> None:
    packed = bytearray(zstandard.compress(data, 1))
    packed[draw.draw(st.integers(0, len(packed) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    entry = Entry(0, len(data), write_chunk(folder, data, bytes(packed)))
    # A flip in the frame's header may leave the content intact; all others are detected.
    with suppress(ChunkCorrupt):
        assert ChunkReader(ChunkStore(folder)).data(entry) == data


def _bomb() -> bytes:
    packer = zstandard.ZstdCompressor(level=1, write_content_size=False).compressobj()
    return packer.compress(bytes(2**24)) + packer.flush()


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no zstd",
        zstandard.compress(b"other", 1),
        zstandard.compress(b"right", 1)[:-1],
        zstandard.compress(b"right", 1) + b"x",
        zstandard.compress(b"right", 1) * 2,
        b"\x50\x2a\x4d\x18\x05\x00\x00\x00right",
        _bomb(),
        zstandard.compress(bytes(2**24), 1),
        bytes(CHUNK * 64),
    ],
    ids=["empty", "noise", "other", "cut", "more", "twice", "skippable", "bomb", "sized bomb", "large"],
)
def test_a_file_that_is_not_one_frame_of_the_chunk_is_refused(folder: Path, packed: bytes) -> None:
    entry = Entry(0, 5, write_chunk(folder, b"right", packed))
    with pytest.raises(ChunkCorrupt):
        ChunkReader(ChunkStore(folder)).data(entry)


def test_a_chunk_that_is_not_there_is_named(folder: Path) -> None:
    digest = hashlib.sha256(b"never stored").digest()
    store = ChunkStore(folder)
    for look in (lambda: store.stat(digest), lambda: store.stored(Entry(0, 12, digest))):
        with pytest.raises(ChunkMissing, match=digest.hex()):
            look()


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _make_vast(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**33)


@pytest.mark.parametrize("make", [_link, Path.mkdir, Path.touch, os.mkfifo, _make_vast])
def test_neither_links_nor_folders_nor_empty_or_vast_files_are_chunks(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    store, digest = ChunkStore(tmp_path), hashlib.sha256(b"name").digest()
    path = tmp_path / relative_path(digest)
    path.parent.mkdir()
    make(path)
    with pytest.raises(ChunkCorrupt):
        store.stat(digest)
    with pytest.raises(ChunkCorrupt):
        store.published(relative_path(digest))


@given(st.text(max_size=90) | st.from_regex(r"[0-9a-f]{4}/[0-9a-f]{64}\.cacnk", fullmatch=True))
def test_no_path_but_a_chunks_name_leads_anywhere(folder: Path, path: str) -> None:
    with pytest.raises(ChunkUnknown):
        ChunkStore(folder).published(path)
