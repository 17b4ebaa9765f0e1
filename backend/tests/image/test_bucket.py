"""The bucket: its refusals, and an API whose own folder is empty, against a real S3 server."""

import hashlib
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient

from patina.bucket.client import Bucket, bucket
from patina.bucket.refusal import BucketRefusal
from patina.image.chunk import relative_path
from patina.settings import Settings, forget_settings, settings
from patina_dev.testing.bucket import BUCKET, BucketServer, Fate
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.store import write_chunk

ImageFactory = Callable[..., int]
MIB = 2**20
CLOSED_PORT = "http://127.0.0.1:1"  # no process listens there


def opened() -> Bucket:
    found = bucket()
    assert found is not None
    return found


def choose(monkeypatch: pytest.MonkeyPatch, **changes: str) -> Bucket:
    for name, value in changes.items():
        monkeypatch.setenv(f"PATINA_STORE_{name.upper()}", value)
    forget_settings()
    return opened()


def upload_all() -> None:
    """Uploads the files of the folders unchanged, and removes the folders."""
    for folder, name in ((settings().store_dir, "store"), (settings().index_dir, "index")):
        for file in folder.rglob("*.ca*"):
            opened().put_file(f"{name}/{file.relative_to(folder)}", file)
        shutil.rmtree(folder)


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Returns a device of a little over 9 MiB: data at both ends and across chunks."""
    path, dice = tmp_path / "device", random.Random(5)
    with path.open("wb") as file:
        file.truncate(9 * MIB + 4_567)
        for place in (0, 3 * MIB - 9, 9 * MIB - 70_000):
            file.seek(place)
            file.write(dice.randbytes(70_000))
    return path


@pytest.fixture
def image_id(client: TestClient, remote: BucketServer, capture_image: ImageFactory, device: Path) -> int:
    """Returns an image that only the bucket has."""
    made = capture_image(device)
    upload_all()
    return made


def test_what_is_put_is_found_read_listed_and_removed(remote: BucketServer) -> None:
    store = opened()
    assert store.look("store/abcd/x") is None
    assert store.get("store/abcd/x", max_bytes=9) is None
    store.put("store/abcd/x", b"one")
    before = store.look("store/abcd/x")
    store.put("store/abcd/x", b"two")
    after = store.look("store/abcd/x")
    assert before is not None
    assert after is not None
    assert (after.size_bytes, after.mark == before.mark) == (3, False)
    assert store.get("store/abcd/x", max_bytes=9) == (after, b"two")
    assert store.read(after, 1, 2) == b"wo"
    assert [found.path for page in store.pages("store") for found in page] == ["store/abcd/x"]
    store.remove(["store/abcd/x", "store/abcd/was-never-there"])
    assert list(store.pages("store")) == []


@pytest.mark.parametrize("ask", ["require", "put", "get"])
@pytest.mark.parametrize(
    ("changes", "code", "reason"),
    [
        ({"access_key": "AKIAWRONG"}, "bucket_refused", "InvalidAccessKeyId"),
        ({"secret_key": "wrong"}, "bucket_refused", "SignatureDoesNotMatch"),
        ({"bucket": "no-such-bucket"}, "bucket_missing", "NoSuchBucket"),
        ({"endpoint": CLOSED_PORT}, "bucket_unreachable", "Connection refused"),
    ],
)
def test_a_bucket_that_cannot_be_used_says_why(
    remote: BucketServer,
    monkeypatch: pytest.MonkeyPatch,
    ask: str,
    changes: dict[str, str],
    code: str,
    reason: str,
) -> None:
    store = choose(monkeypatch, **changes)
    asks: dict[str, Callable[[], object]] = {
        "require": store.require,
        "put": lambda: store.put("store/x", b"x"),
        "get": lambda: store.get("store/x", max_bytes=1),
    }
    with pytest.raises(BucketRefusal) as raised:
        asks[ask]()
    assert raised.value.code == code
    assert reason in raised.value.message
    assert settings().store_bucket in raised.value.message
    assert remote.secret_key not in raised.value.message


def test_a_full_bucket_says_so(remote: BucketServer) -> None:
    remote.proxy.decide = lambda _method, _path: "full"
    with pytest.raises(BucketRefusal) as raised:
        opened().put("store/x", b"x")
    assert raised.value.code == "bucket_full"


def test_a_connection_that_breaks_once_is_tried_again(remote: BucketServer) -> None:
    fates: list[Fate] = ["cut_after", "forward", "cut", "forward"]
    remote.proxy.decide = lambda _method, _path: fates.pop(0)
    opened().put("store/x", b"x")
    assert opened().look("store/x") is not None


def test_an_object_that_is_replaced_while_it_is_read_is_noticed(remote: BucketServer) -> None:
    opened().put("index/x", b"one")
    found = opened().look("index/x")
    opened().put("index/x", b"two")
    assert found is not None
    with pytest.raises(BucketRefusal) as raised:
        opened().read(found, 0, 3)
    assert raised.value.code == "bucket_changed"


def test_an_unexpected_answer_is_reported_unchanged(remote: BucketServer) -> None:
    remote.proxy.decide = lambda _method, _path: "strange"
    with pytest.raises(BucketRefusal) as raised:
        opened().put("store/x", b"x")
    assert raised.value.code == "bucket_failed"
    assert "418" in raised.value.message


def test_half_a_key_is_refused_and_a_key_may_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATINA_STORE_ACCESS_KEY", "")
    monkeypatch.setenv("PATINA_STORE_SECRET_KEY", "")
    (tmp_path / "secret").write_text("s3cret\n")
    monkeypatch.setenv("PATINA_STORE_SECRET_KEY_FILE", str(tmp_path / "secret"))
    with pytest.raises(ValueError, match="PATINA_STORE_ACCESS_KEY"):
        Settings()
    (tmp_path / "access").write_text("access")
    monkeypatch.setenv("PATINA_STORE_ACCESS_KEY_FILE", str(tmp_path / "access"))
    loaded = Settings()
    assert (loaded.store_access_key, loaded.store_secret_key.get_secret_value()) == ("access", "s3cret")
    assert "s3cret" not in repr(loaded)


def test_every_download_comes_from_the_bucket_when_the_folder_is_empty(
    client: TestClient, image_id: int, device: Path, tmp_path: Path
) -> None:
    whole = device.read_bytes()
    sizes = {d["format"]: d["size_bytes"] for d in client.get(f"/api/v1/images/{image_id}/downloads").json()["items"]}
    raw = client.get(f"/api/v1/images/{image_id}/download/raw")
    assert_same_content(raw.content, whole)
    part = client.get(f"/api/v1/images/{image_id}/download/raw", headers={"Range": "bytes=3000000-3200000"})
    assert_same_content(part.content, whole[3_000_000:3_200_001])
    packed = client.get(f"/api/v1/images/{image_id}/download/raw.zst")
    assert len(packed.content) == sizes["raw.zst"]
    unpacked = subprocess.run(["zstd", "-dqc"], input=packed.content, capture_output=True, check=True).stdout
    assert unpacked == whole
    again = client.get(f"/api/v1/images/{image_id}/download/raw.zst", headers={"If-None-Match": packed.headers["ETag"]})
    assert again.status_code == 304
    sha256 = client.get(f"/api/v1/images/{image_id}/download/raw.sha256").text.split()[0]
    assert sha256 == hashlib.sha256(whole).hexdigest()
    index = client.get(f"/api/v1/images/{image_id}/index.caibx")
    assert f'"{hashlib.sha256(index.content).hexdigest()}"' == index.headers["ETag"]
    head = client.head(f"/api/v1/images/{image_id}/index.caibx")
    assert (head.content, head.headers["Content-Length"]) == (b"", str(len(index.content)))
    assert client.get(f"/api/v1/images/{image_id}/deletion").json()["frees_chunks_count"] > 0


def test_casync_extracts_from_an_api_whose_folder_is_empty(
    server: ServedApp, image_id: int, device: Path, tmp_path: Path
) -> None:
    with httpx2.Client(base_url=server.url, headers=HEADERS) as http:
        command = http.get(f"/api/v1/images/{image_id}/downloads").json()["extract_command"]
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_same_content(tmp_path / command.split()[-1], device)


@pytest.mark.parametrize("damage", [b"", b"junk", b"x" * 400_000])
def test_a_damaged_chunk_of_the_bucket_is_named_and_never_handed_out(
    client: TestClient, image_id: int, damage: bytes
) -> None:
    digest = hashlib.sha256(bytes(256 * 1024)).digest()
    assert client.get(f"/store/{relative_path(digest)}").status_code == 200
    opened().put(f"store/{relative_path(digest)}", damage)
    for path in (f"/store/{relative_path(digest)}", f"/api/v1/images/{image_id}/download/raw"):
        answer = client.get(path, headers={"Range": "bytes=1000000-1000009"})
        assert (answer.status_code, answer.json()["code"]) == (500, "chunk_corrupt")
        assert digest.hex() in answer.json()["detail"]
        assert BUCKET in answer.json()["detail"]


def test_a_chunk_of_another_name_is_not_handed_out(client: TestClient, remote: BucketServer, tmp_path: Path) -> None:
    digest = write_chunk(tmp_path, b"a chunk")
    stored = (tmp_path / relative_path(digest)).read_bytes()
    opened().put(f"store/{relative_path(digest)}", stored)
    other = hashlib.sha256(b"another").digest()
    opened().put(f"store/{relative_path(other)}", stored)
    assert client.get(f"/store/{relative_path(digest)}").content == stored
    assert client.get(f"/store/{relative_path(other)}").json()["code"] == "chunk_corrupt"
    assert client.get(f"/store/abab/{'ab' * 32}.cacnk").json()["code"] == "chunk_unknown"


def test_what_the_bucket_lacks_is_said_to_be_missing(client: TestClient, image_id: int) -> None:
    digest = hashlib.sha256(bytes(256 * 1024)).digest()
    question = {"digests": [digest.hex()]}
    assert client.post("/api/v1/chunks/missing", json=question).json()["digests"] == []
    opened().remove([f"store/{relative_path(digest)}"])
    assert client.post("/api/v1/chunks/missing", json=question).json()["digests"] == [digest.hex()]
    answer = client.get(f"/api/v1/images/{image_id}/download/raw", headers={"Range": "bytes=1000000-"})
    assert (answer.status_code, answer.json()["code"]) == (500, "chunk_missing")
    (index,) = [found.path for page in opened().pages("index") for found in page]
    opened().remove([index])
    answer = client.get(f"/api/v1/images/{image_id}/index.caibx")
    assert (answer.status_code, answer.json()["code"]) == (404, "index_missing")
    assert BUCKET in answer.json()["detail"]


def test_a_bucket_that_is_away_is_said_to_be(client: TestClient, image_id: int, remote: BucketServer) -> None:
    remote.proxy.decide = lambda _method, _path: "cut"
    answer = client.get(f"/api/v1/images/{image_id}/download/raw")
    assert (answer.status_code, answer.json()["code"]) == (503, "bucket_unreachable")
