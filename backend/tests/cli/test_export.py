"""`patina image export`: an OCI archive that other programs read and registries carry."""

import hashlib
import json
import random
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from commands import Patina, answered, printed, refusal
from overwriting import overwrite
from patina.db import transaction
from patina.image import oci
from patina.image.chunk import relative_path
from patina.image.layers import layers_count
from patina.image.models import Image
from patina.settings import settings
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.registry import Registry, skopeo
from patina_dev.testing.store import CHUNK_BYTES

MIB = 2**20
LAYER_BYTES = oci.LEAST_LAYER_BYTES
SIZE_BYTES = 5 * LAYER_BYTES + 512
INSIDE = 2 * LAYER_BYTES + MIB  # not in the first chunk of a layer

ImageFactory = Callable[..., int]


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Returns a device with data in its first, third and last layer; the second and the fourth are zeroes."""
    path, dice = tmp_path / "device", random.Random(7)
    with path.open("wb") as file:
        file.truncate(SIZE_BYTES)
        for place in (0, INSIDE, SIZE_BYTES - 512):
            file.seek(place)
            file.write(dice.randbytes(512))
    return path


@pytest.fixture
def image_id(patina: Patina, capture_image: ImageFactory, device: Path) -> int:
    return capture_image(device)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    (tmp_path / "registry").mkdir()
    made = Registry(tmp_path / "registry")
    yield made
    made.close()


def exported(patina: Patina, image_id: int, target: Path) -> Any:
    return answered(patina("image", "export", image_id, target, "--json"))


def documents(archive: Path) -> tuple[Any, Any]:
    """Returns the manifest and the config."""
    with tarfile.open(archive) as tar:

        def _read(path: str) -> Any:
            member = tar.extractfile(path)
            assert member is not None
            return json.load(member)

        (found,) = _read("index.json")["manifests"]
        manifest = _read(oci.blob_path(found["digest"]))
        return manifest, _read(oci.blob_path(manifest["config"]["digest"]))


def unpacked(archive: Path, folder: Path) -> Path:
    """Returns the file of the layers, joined and unpacked by other programs."""
    subprocess.run(["tar", "-C", folder, "-xf", archive], check=True)
    manifest, _ = documents(archive)
    layers = [folder / oci.blob_path(layer["digest"]) for layer in manifest["layers"]]
    with (folder / "joined.zst").open("wb") as joined:
        subprocess.run(["cat", *layers], stdout=joined, check=True)
    subprocess.run(["zstd", "-qd", "--sparse", folder / "joined.zst", "-o", folder / "joined"], check=True)
    return folder / "joined"


def test_the_layers_of_an_archive_are_the_device(patina: Patina, image_id: int, device: Path, tmp_path: Path) -> None:
    archive, folder = tmp_path / "image.oci.tar", tmp_path / "unpacked"
    folder.mkdir()
    said = exported(patina, image_id, archive)
    assert_same_content(unpacked(archive, folder), device)
    manifest, config = documents(archive)
    assert (said["layers_count"], len(manifest["layers"])) == (6, 6)
    assert manifest["layers"][1] == manifest["layers"][3], "zeroes are one blob"
    assert said["size_bytes"] == archive.stat().st_size
    assert config["index_digest"] == said["index_digest"]
    assert config["recipe"]["mkfs_command"]
    assert skopeo("inspect", "--raw", f"oci-archive:{archive}", folder=tmp_path).encode() == oci.encoded(manifest)
    assert "6 layers" in printed(patina("image", "export", image_id, archive, "--force"))


def test_an_image_is_exported_alike_twice(patina: Patina, image_id: int, tmp_path: Path) -> None:
    first, second = tmp_path / "first.tar", tmp_path / "second.tar"
    assert exported(patina, image_id, first)["digest"] == exported(patina, image_id, second)["digest"]
    assert first.read_bytes() == second.read_bytes()


def test_a_registry_carries_an_image_and_stores_equal_layers_of_two_once(
    patina: Patina, image_id: int, capture_image: ImageFactory, device: Path, registry: Registry, tmp_path: Path
) -> None:
    first, second, back = tmp_path / "first.tar", tmp_path / "second.tar", tmp_path / "back.tar"
    exported(patina, image_id, first)
    registry.push(first, "first:latest")
    before = registry.blobs()
    assert registry.manifest("first:latest") == documents(first)[0]

    changed = tmp_path / "changed"
    changed.write_bytes(device.read_bytes()[:-512] + bytes(512))
    exported(patina, capture_image(changed), second)
    registry.push(second, "second:latest")
    assert len(registry.blobs() - before) == 3, "a layer, the config, the manifest"

    registry.pull("first:latest", back)
    assert documents(back) == documents(first)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    assert_same_content(unpacked(back, folder), device)


def chunk_at(device: Path, offset: int) -> Path:
    """Returns the file of the chunk that begins there."""
    content = device.read_bytes()[offset : offset + CHUNK_BYTES]
    return settings().store_dir / relative_path(hashlib.sha256(content).digest())


@pytest.mark.parametrize(("offset", "said"), [(SIZE_BYTES - 512, "is damaged"), (INSIDE, "5 times in the same layer")])
def test_a_damaged_chunk_leaves_no_archive(
    patina: Patina,
    image_id: int,
    device: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    offset: int,
    said: str,
) -> None:
    monkeypatch.setattr("patina.cli.export.PAUSE_S", 0.001)
    chunk = chunk_at(device, offset)
    overwrite(chunk, bytes(chunk.stat().st_size))
    status, _, err = patina("image", "export", image_id, tmp_path / "image.tar")
    assert (status, said in err) == (1, True), err
    assert not list(tmp_path.glob("image.tar*"))


def test_a_layer_that_breaks_off_is_fetched_again(
    patina: Patina, image_id: int, device: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = chunk_at(device, INSIDE)
    whole = chunk.read_bytes()
    overwrite(chunk, bytes(len(whole)))
    pauses: list[float] = []

    def _repair(pause_s: float) -> None:
        pauses.append(pause_s)
        overwrite(chunk, whole)

    monkeypatch.setattr("patina.cli.export.time.sleep", _repair)
    archive, folder = tmp_path / "image.tar", tmp_path / "unpacked"
    folder.mkdir()
    printed(patina("image", "export", image_id, archive))
    assert len(pauses) == 1
    assert_same_content(unpacked(archive, folder), device)


def test_a_file_that_is_there_is_not_replaced(patina: Patina, image_id: int, tmp_path: Path) -> None:
    target = tmp_path / "image.tar"
    target.write_bytes(b"kept")
    assert "is there already" in refusal(patina("image", "export", image_id, target))
    assert target.read_bytes() == b"kept"
    assert "cannot be written" in refusal(patina("image", "export", image_id, tmp_path / "none" / "image.tar"))
    part = tmp_path / "other.tar.part"
    part.touch()
    assert "Another export writes" in refusal(patina("image", "export", image_id, tmp_path / "other.tar"))
    assert part.exists()


def test_layers_are_numbered_from_0(client: TestClient, capture_image: ImageFactory, device: Path) -> None:
    number = capture_image(device)
    assert client.get(f"/api/v1/images/{number}/layers").json() == {"layers_count": 6}
    for wrong in (-1, 6):
        answer = client.get(f"/api/v1/images/{number}/layers/{wrong}")
        assert (answer.status_code, answer.json()["code"]) == (404, "layer_unknown")
    (settings().index_dir / "device.caibx").unlink()
    assert client.get(f"/api/v1/images/{number}/layers/0").json()["code"] == "index_missing"


@pytest.mark.parametrize(
    ("size_bytes", "layer_bytes", "count"),
    [
        (512, 16 * MIB, 1),
        (16 * MIB + 512, 16 * MIB, 2),
        (2**33, 16 * MIB, 512),
        (2**33 + 512, 32 * MIB, 257),
        (2**40, 2**31, 512),
    ],
)
def test_the_manifest_of_any_image_is_one_that_registries_take(size_bytes: int, layer_bytes: int, count: int) -> None:
    assert oci.layer_bytes_of(size_bytes) == layer_bytes
    assert layers_count(Image(size_bytes=size_bytes)) == count
    layer = oci.descriptor_of(oci.LAYER_TYPE, f"sha256:{'0' * 64}", layer_bytes)
    assert len(oci.encoded(oci.manifest_of("a" * 100, "2026-01-01", layer, [layer] * count))) < oci.MANIFEST_BYTES


def test_an_image_of_another_host_is_named(client: TestClient, capture_image: ImageFactory, device: Path) -> None:
    number = capture_image(device)
    (settings().index_dir / "device.caibx").unlink()
    with transaction() as session:
        image = session.get_one(Image, number)
        assert image.host is not None
        image.host.name = "elsewhere"
    for place in ("layers/0", "manifest.signed.json"):
        assert client.get(f"/api/v1/images/{number}/{place}").json()["code"] == "image_elsewhere"
