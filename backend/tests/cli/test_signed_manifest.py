"""Signed manifests: verified without a server, by the key of the one that signed."""

import base64
import json
import os
import random
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa as rsa_keys
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fastapi.testclient import TestClient

from commands import Patina, answered, printed, refusal
from patina.image.signature import new_private_key, public_key_of
from patina.settings import settings

CHUNK_BYTES = 256 * 2**10
SIZE_BYTES = 3 * CHUNK_BYTES + 4096


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "device"
    path.write_bytes(random.Random(3).randbytes(SIZE_BYTES))
    return path


@pytest.fixture
def manifest(patina: Patina, capture_image: Callable[..., int], device: Path, tmp_path: Path) -> Path:
    """Returns the signed manifest of the image of the device."""
    path = tmp_path / "image.json"
    path.write_text(printed(patina("image", "manifest", capture_image(device))))
    return path


@pytest.fixture
def key(patina: Patina, tmp_path: Path) -> Path:
    """Returns the public key of the server."""
    path = tmp_path / "server.pub"
    path.write_text(printed(patina("image", "manifest-key")))
    return path


@pytest.fixture
def without_server(manifest: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names a server that does not answer."""
    monkeypatch.setenv("PATINA_URL", "http://127.0.0.1:9")


def changed(path: Path, **members: object) -> Path:
    path.write_text(json.dumps(json.loads(path.read_text()) | members))
    return path


def payload_of(path: Path) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(base64.b64decode(json.loads(path.read_text())["payload"]))
    return payload


@pytest.mark.usefixtures("without_server")
def test_a_file_is_verified_without_the_server(patina: Patina, manifest: Path, key: Path, device: Path) -> None:
    found = answered(patina("verify", "--manifest", manifest, "--key", key, device, "--json"))
    signed = payload_of(manifest)
    assert (found["name"], found["index_digest"]) == (signed["name"], signed["index_digest"])
    assert (found["size_bytes"], found["path"]) == (SIZE_BYTES, str(device))
    assert signed["recipe"]["mkfs_command"]
    assert signed["layout"]["layout_digest"]
    assert "as signed" in printed(patina("verify", "--manifest", manifest, "--key", key, device))


def test_the_key_is_asked_of_the_server_where_none_is_given(patina: Patina, manifest: Path, device: Path) -> None:
    assert "as signed" in printed(patina("verify", "--manifest", manifest, device))


@pytest.mark.usefixtures("without_server")
def test_every_difference_is_named(patina: Patina, manifest: Path, key: Path, device: Path) -> None:
    def _refused() -> str:
        return refusal(patina("verify", "--manifest", manifest, "--key", key, device, "--json"))

    content = device.read_bytes()
    device.write_bytes(content + b"\0" * 512)
    assert f"({SIZE_BYTES + 512:,} bytes), and image" in _refused()
    device.write_bytes(content[:-512])
    assert f"({SIZE_BYTES - 512:,} bytes), and image" in _refused()
    place = CHUNK_BYTES + 7
    device.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 : -1] + b"\0")
    assert f"first in chunk 1 of 4, the bytes {CHUNK_BYTES} to {2 * CHUNK_BYTES - 1}" in _refused()
    device.unlink()
    assert "device cannot be read: No such file" in _refused()


@pytest.mark.usefixtures("without_server")
def test_a_manifest_that_the_key_did_not_sign_is_refused(
    patina: Patina, manifest: Path, key: Path, device: Path, tmp_path: Path
) -> None:
    def _refused(of: Path = manifest, by: Path = key) -> str:
        return refusal(patina("verify", "--manifest", of, "--key", by, device))

    original = manifest.read_text()
    other = tmp_path / "other.pub"
    other.write_text(public_key_of(new_private_key().encode()))
    assert "signed by another key" in _refused(by=other)
    other.write_text("no key")
    assert "not a public key in PEM" in _refused(by=other)
    rsa = rsa_keys.generate_private_key(65537, 2048).public_key()
    other.write_bytes(rsa.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert "not an Ed25519 key" in _refused(by=other)
    assert "cannot be read: No such file" in _refused(by=tmp_path / "none")

    payload = json.dumps(payload_of(manifest) | {"name": "another"}).encode()
    assert "was changed after it was signed" in _refused(changed(manifest, payload=base64.b64encode(payload).decode()))
    manifest.write_text(original)
    assert "not 'application/vnd.patina.manifest+json'" in _refused(changed(manifest, payloadType="text/plain"))
    manifest.write_text(original)
    assert "signed by another key: nobody" in _refused(changed(manifest, signatures=[]))
    for content, said in (("{", "not JSON"), ("[]", "not a signed manifest"), ("{}", "not a DSSE envelope")):
        manifest.write_text(content)
        assert said in _refused()


@pytest.mark.usefixtures("without_server")
def test_an_index_that_the_signature_does_not_cover_is_refused(
    patina: Patina, manifest: Path, key: Path, device: Path
) -> None:
    def _refused() -> str:
        return refusal(patina("verify", "--manifest", manifest, "--key", key, device, "--json"))

    original = manifest.read_text()
    index = bytearray(base64.b64decode(json.loads(original)["index"]))
    index[64 + 8] ^= 1  # of the first digest
    changed(manifest, index=base64.b64encode(index).decode())
    assert "not the one that was signed" in _refused()
    changed(manifest, index="?")
    assert "not the one that was signed" in _refused()
    changed(manifest, index=None)
    assert "not the one that was signed" in _refused()


@pytest.mark.usefixtures("without_server", "as_root")
def test_a_device_may_be_larger_than_its_image(patina: Patina, manifest: Path, key: Path, device: Path) -> None:
    os.truncate(device, SIZE_BYTES + 2**20)
    argv: list[str | Path] = ["losetup", "--find", "--show", "--read-only", device]
    path = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()
    try:
        assert "as signed" in printed(patina("verify", "--manifest", manifest, "--key", key, path))
    finally:
        subprocess.run(["losetup", "--detach", path], check=True)


@pytest.mark.parametrize("words", [["some-image"], ["some-image", "/dev/x", "--manifest", "m"], ["a", "--key", "k"]])
def test_verify_says_which_words_it_needs(patina: Patina, words: list[str]) -> None:
    assert "Name an image and a device; or a file" in refusal(patina("verify", *words), 2)


def test_the_key_is_made_once_and_for_the_account_of_the_server_alone(client: TestClient) -> None:
    path = settings().manifest_key_path
    path.unlink(missing_ok=True)
    public = client.get("/api/v1/images/manifest-key.pem")
    assert public.status_code == 200
    assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_nlink) == (0o600, 1)
    assert client.get("/api/v1/images/manifest-key.pem").text == public.text
    assert public.text == public_key_of(path.read_bytes())


def test_the_same_image_is_signed_alike_twice(
    client: TestClient, capture_image: Callable[..., int], device: Path
) -> None:
    path = f"/api/v1/images/{capture_image(device)}/manifest.signed.json"
    first = client.get(path)
    assert first.content == client.get(path).content
    assert base64.b64decode(first.json()["payload"]) == client.get(path.replace(".signed", "")).content


@pytest.mark.parametrize("content", [None, "no key"])
def test_a_key_that_cannot_be_used_is_named(
    client: TestClient, capture_image: Callable[..., int], device: Path, content: str | None
) -> None:
    path, image_id = settings().manifest_key_path, capture_image(device)
    path.unlink(missing_ok=True)
    try:
        if content is None:
            path.mkdir()
        else:
            path.write_text(content)
        for place in ("manifest-key.pem", f"{image_id}/manifest.signed.json"):
            answer = client.get(f"/api/v1/images/{place}")
            assert (answer.status_code, answer.json()["code"]) == (500, "manifest_key_unusable")
            assert str(path) in answer.json()["detail"]
    finally:
        if content is None:
            path.rmdir()
        else:
            path.unlink()
