"""Downloads: an image's bytes in three formats, whole and in parts, read by other programs."""

import hashlib
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from overwriting import overwrite
from patina.image.chunk import relative_path
from patina.image.schemas import ImagePage
from patina.image.transfer import RangeNotSatisfiable, attachment, requested_part
from patina.settings import settings
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.store import CHUNK_BYTES, index_bytes, write_chunk

ImageFactory = Callable[..., int]
FORMATS = ("raw", "raw.zst", "qcow2")
MIB = 2**20


def _device(folder: Path, size: int) -> Path:
    """Makes a sparse file with data at both ends, in between, and across chunks."""
    device, dice = folder / f"device-{size}", random.Random(size)
    with device.open("wb") as file:
        file.truncate(size)
        for place in (0, size // 3, size // 2, size - 70_000):
            file.seek(place)
            file.write(dice.randbytes(70_000))
    return device


@pytest.fixture
def image_id(client: TestClient, capture_image: ImageFactory, tmp_path: Path) -> int:
    """Returns an image of 9 MiB and 4 567 bytes: the last chunk is short, and not a multiple of sectors."""
    return capture_image(_device(tmp_path, 9 * MIB + 4_567))


def _url(image_id: int, image_format: str) -> str:
    return f"/api/v1/images/{image_id}/download/{image_format}"


def _chunk_paths(image_id: int) -> list[Path]:
    """Returns the files of the only image's chunks, in the image's order."""
    (index,) = settings().index_dir.glob("*.caibx")
    table = index.read_bytes()[64:-40]
    digests = [table[at + 8 : at + 40] for at in range(0, len(table), 40)]
    return [settings().store_dir / relative_path(digest) for digest in digests]


@pytest.mark.parametrize("options", [(), ("--chunk-size", "4096"), ("--chunk-size", "1MiB")])
@pytest.mark.parametrize("size", [4 * MIB, 3 * MIB + 4_567, 512 * 1001])
def test_every_format_holds_the_device(
    client: TestClient, capture_image: ImageFactory, tmp_path: Path, size: int, options: tuple[str, ...]
) -> None:
    device = _device(tmp_path, size)
    image_id = capture_image(device, *options)
    sizes = {d["format"]: d["size_bytes"] for d in client.get(f"/api/v1/images/{image_id}/downloads").json()["items"]}
    for image_format in FORMATS:
        answer = client.get(_url(image_id, image_format))
        assert answer.status_code == 200
        assert len(answer.content) == sizes[image_format] == int(answer.headers["Content-Length"])
        (tmp_path / f"got.{image_format}").write_bytes(answer.content)
    assert_same_content(tmp_path / "got.raw", device)
    subprocess.run(["zstd", "-dq", "got.raw.zst", "-o", "unpacked"], cwd=tmp_path, check=True)
    assert_same_content(tmp_path / "unpacked", device)
    subprocess.run(["qemu-img", "check", "got.qcow2"], cwd=tmp_path, check=True, capture_output=True)
    compared = subprocess.run(
        ["qemu-img", "compare", "-f", "raw", "-F", "qcow2", str(device), "got.qcow2"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "identical" in compared.stdout, compared.stdout + compared.stderr


@pytest.mark.parametrize("image_format", FORMATS)
def test_any_part_is_that_part_of_the_whole(client: TestClient, image_id: int, image_format: str) -> None:
    url, dice = _url(image_id, image_format), random.Random(7)
    whole = client.get(url)
    total = len(whole.content)
    cuts = {0, 1, total - 1, CHUNK_BYTES, 65_536, *(dice.randrange(total) for _ in range(10))}
    for start in sorted(cuts):
        for stop in (start + 1, min(start + 300_000, total), total):
            answer = client.get(url, headers={"Range": f"bytes={start}-{stop - 1}"})
            assert answer.status_code == 206
            assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/{total}"
            assert int(answer.headers["Content-Length"]) == stop - start
            assert_same_content(answer.content, whole.content[start:stop])
            assert answer.headers["ETag"] == whole.headers["ETag"]


@pytest.mark.parametrize(
    ("headers", "status", "part"),
    [
        ({"Range": "bytes=5-"}, 206, slice(5, None)),
        ({"Range": "bytes=-5"}, 206, slice(-5, None)),
        ({"Range": "Bytes=0-9"}, 206, slice(0, 10)),
        ({"Range": "bytes=0-999999999999"}, 206, slice(None)),
        ({"Range": "bytes=-999999999999"}, 206, slice(None)),
        ({"Range": "bytes=0-9", "If-Range": "THE ETAG"}, 206, slice(0, 10)),
        ({"Range": "bytes=0-9", "If-Range": '"another"'}, 200, slice(None)),
        ({"Range": "bytes=0-9", "If-Range": "W/THE ETAG"}, 200, slice(None)),
        ({"Range": "bytes=0-9", "If-Range": "Sat, 21 Nov 2026 00:00:00 GMT"}, 200, slice(None)),
        ({"Range": "bytes=0-1,5-6"}, 200, slice(None)),
        ({"Range": "bytes=9-3"}, 200, slice(None)),
        ({"Range": "bytes=-"}, 200, slice(None)),
        ({"Range": "bytes=a-b"}, 200, slice(None)),
        ({"Range": "chunks=0-1"}, 200, slice(None)),
        ({"Range": f"bytes={'9' * 500}-"}, 200, slice(None)),
        ({"If-None-Match": "THE ETAG"}, 304, slice(0)),
        ({"If-None-Match": 'W/"x", W/THE ETAG'}, 304, slice(0)),
        ({"If-None-Match": "*"}, 304, slice(0)),
        ({"If-None-Match": '"another"'}, 200, slice(None)),
    ],
)
def test_a_range_and_its_conditions_are_answered_as_http_has_it(
    client: TestClient, image_id: int, headers: dict[str, str], status: int, part: slice
) -> None:
    whole = client.get(_url(image_id, "raw"))
    said = {name: value.replace("THE ETAG", whole.headers["ETag"]) for name, value in headers.items()}
    answer = client.get(_url(image_id, "raw"), headers=said)
    assert (answer.status_code, answer.content) == (status, whole.content[part])


@pytest.mark.parametrize("image_format", FORMATS)
@pytest.mark.parametrize("beyond", ["bytes={size}-", "bytes=999999999999-999999999999", "bytes=-0"])
def test_a_range_past_the_end_is_refused_with_the_size(
    client: TestClient, image_id: int, image_format: str, beyond: str
) -> None:
    size = client.head(_url(image_id, image_format)).headers["Content-Length"]
    answer = client.get(_url(image_id, image_format), headers={"Range": beyond.format(size=size)})
    assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
    assert answer.headers["Content-Range"] == f"bytes */{size}"


@pytest.mark.parametrize("image_format", FORMATS)
def test_the_head_says_what_a_download_would(client: TestClient, image_id: int, image_format: str) -> None:
    get, head = (client.request(method, _url(image_id, image_format)) for method in ("GET", "HEAD"))
    assert head.content == b""
    for name in ("Content-Length", "Content-Type", "Content-Disposition", "ETag", "Accept-Ranges"):
        assert head.headers[name] == get.headers[name]
    image = client.get(f"/api/v1/images/{image_id}").json()
    assert f'filename="{image["name"]}.{image_format}"' in get.headers["Content-Disposition"]
    assert image["index_digest"] in get.headers["ETag"]


def test_a_range_is_nothing_to_a_head(client: TestClient, image_id: int) -> None:
    answer = client.head(_url(image_id, "raw"), headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer.headers["Content-Length"]) == (200, str(9 * MIB + 4_567))


@given(
    st.text("bytes=-0123456789, ", max_size=30) | st.from_regex(r"bytes=[0-9]{0,25}-[0-9]{0,25}", fullmatch=True),
    st.integers(0, 2**41),
)
def test_for_any_range_the_part_lies_within_the_file(wanted: str, size: int) -> None:
    try:
        part = requested_part({"range": wanted}, size_bytes=size, etag='"x"')
    except RangeNotSatisfiable as error:
        assert (error.headers or {})["Content-Range"] == f"bytes */{size}"  # noqa: PT017  either is an answer
    else:
        assert part is None or 0 <= part.start < part.stop <= size


def test_a_name_that_is_not_ascii_is_given_in_both_ways() -> None:
    assert attachment('größe"1.raw') == "attachment; filename=\"gr__e_1.raw\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%221.raw"


def test_the_index_is_downloaded_by_its_digest(client: TestClient, image_id: int) -> None:
    image = client.get(f"/api/v1/images/{image_id}").json()
    answer = client.get(f"/api/v1/images/{image_id}/index.caibx")
    assert hashlib.sha256(answer.content).hexdigest() == image["index_digest"]
    assert answer.headers["ETag"] == f'"{image["index_digest"]}"'


def test_images_are_found_by_name(client: TestClient, image_id: int) -> None:
    name = client.get(f"/api/v1/images/{image_id}").json()["name"]
    assert client.get("/api/v1/images/named", params={"reference": name}).json()["id"] == image_id
    assert client.get("/api/v1/images/named", params={"reference": "another"}).status_code == 404


def test_a_catalog_s_line_says_what_the_image_says(client: TestClient, image_id: int) -> None:
    image = client.get(f"/api/v1/images/{image_id}").json()
    [listed] = ImagePage.model_validate_json(client.get("/api/v1/images").content).items
    item = listed.model_dump(mode="json")
    assert item.pop("age") == image["summary"]["histograms"]["age"]
    assert item == {name: image[name] for name in item}
    assert {"plan", "summary", "recipe", "capture"}.isdisjoint(item)


def test_an_image_says_which_device_it_was(client: TestClient, image_id: int) -> None:
    image = client.get(f"/api/v1/images/{image_id}").json()
    device = client.get(f"/api/v1/devices/{image['device_id']}").json()
    assert (image["device_stable_id"], image["device_kind"]) == (device["stable_id"], device["kind"])


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/v1/images/99/download/raw", "image_unknown"),
        ("/api/v1/images/99/downloads", "image_unknown"),
        ("/api/v1/images/1/download/vmdk", "format_unknown"),
        ("/api/v1/images/1/download/vmdk.sha256", "format_unknown"),
    ],
)
def test_what_there_is_not_is_said(client: TestClient, image_id: int, path: str, code: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, code)


@pytest.mark.parametrize("what", ["index.caibx", "downloads", "download/raw", "download/qcow2.sha256"])
def test_an_index_that_is_gone_is_said_to_be_missing(client: TestClient, image_id: int, what: str) -> None:
    (index,) = settings().index_dir.glob("*.caibx")
    index.unlink()
    answer = client.get(f"/api/v1/images/{image_id}/{what}")
    assert (answer.status_code, answer.json()["code"]) == (404, "index_missing")


@pytest.mark.parametrize("what", ["downloads", "download/raw", "download/raw.zst", "download/qcow2"])
def test_an_index_that_was_changed_is_refused(client: TestClient, image_id: int, what: str) -> None:
    (index,) = settings().index_dir.glob("*.caibx")
    content = bytearray(index.read_bytes())
    content[80] ^= 1
    index.write_bytes(content)
    answer = client.get(f"/api/v1/images/{image_id}/{what}")
    assert (answer.status_code, answer.json()["code"]) == (500, "index_invalid")


@pytest.mark.parametrize("image_format", FORMATS)
def test_a_chunk_that_is_missing_where_a_download_begins_is_a_clear_refusal(
    client: TestClient, image_id: int, image_format: str
) -> None:
    first, *_ = _chunk_paths(image_id)
    first.unlink()
    answer = client.get(_url(image_id, image_format), headers={"Range": "bytes=0-"})
    if image_format == "qcow2":  # it begins with computed metadata; the connection closes at the chunk
        assert len(answer.content) < int(answer.headers["Content-Length"])
        return
    assert (answer.status_code, answer.json()["code"]) == (500, "chunk_missing")
    assert first.stem in answer.json()["detail"]


def test_a_chunk_that_is_damaged_where_a_part_begins_is_named(client: TestClient, image_id: int) -> None:
    last = _chunk_paths(image_id)[-1]
    overwrite(last, last.read_bytes()[:-1])
    answer = client.get(_url(image_id, "raw"), headers={"Range": "bytes=-5"})
    assert (answer.status_code, answer.json()["code"]) == (500, "chunk_corrupt")
    assert last.stem in answer.json()["detail"]


def test_a_chunk_that_was_packed_anew_is_not_mixed_into_a_download_of_before(client: TestClient, image_id: int) -> None:
    url = _url(image_id, "raw.zst")
    before = client.get(url)
    first, *_ = _chunk_paths(image_id)
    packed = subprocess.run(["zstd", "-dqc", str(first)], capture_output=True, check=True).stdout
    overwrite(
        first, subprocess.run(["zstd", "-qc", "--no-check"], input=packed, capture_output=True, check=True).stdout
    )
    assert first.stat().st_size != 0
    refused = client.get(url)
    assert (refused.status_code, refused.json()["code"]) == (409, "chunk_replaced")
    again = client.get(url, headers={"Range": "bytes=9-", "If-Range": before.headers["ETag"]})
    assert again.status_code == 200
    assert again.headers["ETag"] != before.headers["ETag"]


def test_chunks_of_any_length_as_casync_cuts_them_are_read(
    client: TestClient, publish_image: ImageFactory, tmp_path: Path
) -> None:
    dice = random.Random(3)
    parts = [dice.randbytes(dice.randrange(1, 90_000)) for _ in range(40)]
    parts[7], parts[20] = bytes(CHUNK_BYTES), bytes(70_001)
    entries = [(len(part), write_chunk(settings().store_dir, part)) for part in parts]
    (settings().index_dir / "cut.caibx").write_bytes(index_bytes(entries))
    image_id = publish_image("cut.caibx")
    raw, qcow2 = tmp_path / "image.raw", tmp_path / "image.qcow2"
    raw.write_bytes(client.get(_url(image_id, "raw")).content)
    assert_same_content(raw, b"".join(parts))
    qcow2.write_bytes(client.get(_url(image_id, "qcow2")).content)
    argv = ["qemu-img", "compare", "-f", "raw", "-F", "qcow2", str(raw), str(qcow2)]
    assert b"identical" in subprocess.run(argv, capture_output=True, check=False).stdout


def test_an_unreadable_index_is_refused(client: TestClient, image_id: int) -> None:
    (index,) = settings().index_dir.glob("*.caibx")
    index.unlink()
    os.symlink("/dev/null", index)
    answer = client.get(_url(image_id, "raw"))
    assert (answer.status_code, answer.json()["code"]) == (404, "index_missing")
