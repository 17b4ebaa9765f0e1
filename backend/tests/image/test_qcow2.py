"""The qcow2 writer: QEMU reads its output as the image; from any offset it writes the same bytes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patina.image.qcow2 import CLUSTER_BYTES, ClusterMap, Qcow2
from patina_dev.testing.content import assert_same_content

MIB = 2**20
GIB = 2**30
TIB = 2**40
SIZES = [64 * MIB, 64 * MIB + 1, 64 * MIB + 512, 512 * MIB + CLUSTER_BYTES, 3 * GIB + 4097, TIB, TIB + 12_345]


def _byte_at(cluster: int) -> int:
    return cluster % 255 + 1


def _image(start: int, stop: int) -> Iterator[bytes]:
    """Yields the clusters of an image, each filled with its number."""
    while start < stop:
        end = min(stop, (start // CLUSTER_BYTES + 1) * CLUSTER_BYTES)
        yield bytes([_byte_at(start // CLUSTER_BYTES)]) * (end - start)
        start = end


def _file_of(size: int, stretches: list[tuple[int, int]]) -> Qcow2:
    clusters = ClusterMap(size)
    for start, stop in stretches:
        clusters.add(start, stop)
    return Qcow2(clusters)


def _stretches(size: int) -> list[tuple[int, int]]:
    """Returns the first and the last byte, the ends of L2 tables, and a run across two of them."""
    places = [0, 8191 * CLUSTER_BYTES, 8192 * CLUSTER_BYTES, 30_000 * CLUSTER_BYTES, size - 1]
    return [(place, place + 1) for place in places if place < size] + [
        (start, start + 5 * CLUSTER_BYTES) for start in (size // 2, 8190 * CLUSTER_BYTES) if start + MIB < size
    ]


def _write_raw(path: Path, size: int, stretches: list[tuple[int, int]]) -> None:
    with path.open("wb") as raw:
        raw.truncate(size)
        for start, stop in stretches:
            first = start // CLUSTER_BYTES * CLUSTER_BYTES
            raw.seek(first)
            raw.writelines(_image(first, min(-(-stop // CLUSTER_BYTES) * CLUSTER_BYTES, size)))


@pytest.mark.parametrize("size", SIZES)
def test_qemu_finds_the_file_whole_and_identical_to_the_raw_image(tmp_path: Path, size: int) -> None:
    stretches = _stretches(size)
    file = _file_of(size, stretches)
    qcow2, raw = tmp_path / "image.qcow2", tmp_path / "image.raw"
    with qcow2.open("wb") as out:
        out.writelines(file.read(0, _image))
    _write_raw(raw, size, stretches)
    assert qcow2.stat().st_size == file.size_bytes < 100 * MIB
    checked = subprocess.run(
        ["qemu-img", "check", "--output=json", str(qcow2)], capture_output=True, text=True, check=True
    )
    report = json.loads(checked.stdout)
    assert {report.get(name, 0) for name in ("corruptions", "leaks", "check-errors")} == {0}
    compared = subprocess.run(
        ["qemu-img", "compare", "-f", "raw", "-F", "qcow2", str(raw), str(qcow2)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "identical" in compared.stdout, compared.stdout + compared.stderr


def test_an_image_of_zeroes_has_no_clusters_of_its_own(tmp_path: Path) -> None:
    qcow2 = tmp_path / "image.qcow2"
    with qcow2.open("wb") as out:
        out.writelines(_file_of(64 * MIB, []).read(0, _image))
    assert qcow2.stat().st_size == 4 * CLUSTER_BYTES
    subprocess.run(["qemu-img", "check", str(qcow2)], check=True, capture_output=True)


@given(
    st.integers(1, 40 * CLUSTER_BYTES),
    st.lists(st.tuples(st.integers(0, 40 * CLUSTER_BYTES), st.integers(1, 3 * CLUSTER_BYTES)), max_size=4),
    st.data(),
)
def test_any_offset_begins_where_the_whole_file_has_it(
    size: int, wanted: list[tuple[int, int]], data: st.DataObject
) -> None:
    stretches = [(start, min(start + length, size)) for start, length in wanted if start < size]
    file = _file_of(size, stretches)
    whole = b"".join(file.read(0, _image))
    assert len(whole) == file.size_bytes
    start = data.draw(st.integers(0, len(whole)) | st.integers(max(len(whole) - 2 * CLUSTER_BYTES, 0), len(whole)))
    assert_same_content(b"".join(file.read(start, _image)), whole[start:])


@pytest.mark.parametrize("data_clusters", [32_758, 32_759, 32_760, 32_761, 32_762, 32_763, 70_000])
def test_refcounts_cover_the_file_where_one_more_cluster_needs_one_more_block(
    tmp_path: Path, data_clusters: int
) -> None:
    """A refcount block counts 32 768 clusters, itself among them."""
    file = _file_of(TIB, [(0, data_clusters * CLUSTER_BYTES)])
    qcow2 = tmp_path / "image.qcow2"
    with qcow2.open("wb") as out:
        for piece in file.read(0, lambda start, stop: iter([bytes(stop - start)])):
            if len(piece) <= CLUSTER_BYTES:
                out.write(piece)  # the rest of the piece is data, and zero here
        out.truncate(file.size_bytes)
    file_clusters = file.size_bytes // CLUSTER_BYTES
    assert file_clusters - 1 - 1 - 1 - -(-data_clusters // 8192) - data_clusters == -(-file_clusters // 32_768)
    subprocess.run(["qemu-img", "check", str(qcow2)], check=True, capture_output=True)
