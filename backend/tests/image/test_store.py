"""The chunk store over HTTP: chunks by name, for casync, and no other files."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from patina.image.chunk import relative_path
from patina.settings import settings
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.store import write_chunk

ImageFactory = Callable[..., int]
NAME = "ab" * 32


@pytest.fixture
def chunk(client: TestClient) -> Iterator[str]:
    """Yields the path of a stored chunk."""
    path = relative_path(write_chunk(settings().store_dir, b"a chunk"))
    yield path
    (settings().store_dir / path).unlink()


def test_a_chunk_is_handed_out_as_it_is_stored_and_never_asked_for_again(client: TestClient, chunk: str) -> None:
    answer = client.get(f"/store/{chunk}")
    assert answer.status_code == 200
    assert_same_content(answer.content, settings().store_dir / chunk)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = client.get(f"/store/{chunk}", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = client.head(f"/store/{chunk}")
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(answer.content)))


def test_a_chunk_that_is_stored_anew_has_another_etag(client: TestClient, chunk: str) -> None:
    old = client.get(f"/store/{chunk}").headers["ETag"]
    write_chunk(settings().store_dir, b"a chunk")
    answer = client.get(f"/store/{chunk}", headers={"If-None-Match": old})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/store",
        "/store/",
        "/store/abab",
        "/store/abab/",
        f"/store/abab/{NAME}.cacnk",
        f"/store/abab/{NAME}",
        f"/store/cdcd/{NAME}.cacnk",
        f"/store/ABAB/{NAME.upper()}.cacnk",
        f"/store/abab/{NAME}.cacnk/",
        f"/store/abab//{NAME}.cacnk",
        f"/store/abab/{NAME[:-1]}.cacnk",
        f"/store/abab/{NAME}.cacnk%00",
        f"/store/abab/{NAME}.cacnk%0a",
        "/store/%2e%2e/%2e%2e/etc/passwd",
        "/store/..%2f..%2f..%2fetc%2fpasswd",
        "/store/.patina-staging-1/x",
        "/store/%2fetc/passwd",
    ],
)
def test_a_path_of_no_chunk_is_a_problem_and_not_a_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "chunk_unknown")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_damaged_file_is_not_handed_out_as_a_chunk(client: TestClient, chunk: str) -> None:
    (settings().store_dir / chunk).write_bytes(b"")
    answer = client.get(f"/store/{chunk}")
    assert (answer.status_code, answer.json()["code"]) == (500, "chunk_corrupt")


def test_nothing_can_be_put_into_the_store(client: TestClient, chunk: str) -> None:
    for method in ("PUT", "POST", "DELETE"):
        answer = client.request(method, f"/store/{chunk}")
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_casync_makes_the_device_from_the_line_on_the_page(
    server: ServedApp, capture_image: ImageFactory, tmp_path: Path
) -> None:
    device = tmp_path / "device"
    device.write_bytes(bytes(2**20) + bytes(range(256)) * 9_000 + bytes(2**21) + b"end")
    image_id = capture_image(device)
    with httpx2.Client(base_url=server.url, headers=HEADERS) as http:
        downloads = http.get(f"/api/v1/images/{image_id}/downloads").json()
    command = downloads["extract_command"]
    place = server.url.replace("://", "://token:$PATINA_TOKEN@")
    assert f'--store="{place}/store" "{place}/api/v1/images/{image_id}/index.caibx"' in command
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_same_content(tmp_path / command.split()[-1], device)


def question(client: TestClient, digests: list[str]) -> Any:
    return client.post("/api/v1/chunks/missing", json={"digests": digests})


def test_a_client_is_told_which_chunks_the_store_lacks(client: TestClient, chunk: str) -> None:
    here = chunk[5:69]
    answer = question(client, [NAME, here, "cd" * 32, NAME])
    assert answer.json() == {"digests": [NAME, "cd" * 32], "manifest_schema_version": 1}
    (settings().store_dir / chunk).write_bytes(b"")
    assert question(client, [here]).json()["digests"] == [here], "it is to be sent again"


@pytest.mark.parametrize("digests", [["ab"], ["../" + "a" * 61], [NAME.upper()], [f"{NAME}\n"], [NAME] * 4_097, [1]])
def test_only_names_of_chunks_are_asked_for(client: TestClient, digests: list[str]) -> None:
    answer = question(client, digests)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
