"""Compression of responses: long texts are compressed; event streams and images are not."""

import gzip
from collections.abc import Callable

import pytest
import zstandard
from fastapi.testclient import TestClient

PATH = "/api/openapi.json"


def _unzstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


UNPACK: dict[str | None, Callable[[bytes], bytes]] = {"zstd": _unzstd, "gzip": gzip.decompress, None: bytes}


@pytest.mark.parametrize(("accepted", "used"), [("gzip, deflate, br, zstd", "zstd"), ("gzip", "gzip"), ("br", None)])
def test_a_long_answer_is_compressed_as_the_client_accepts_it(
    client: TestClient, accepted: str, used: str | None
) -> None:
    plain = client.get(PATH, headers={"Accept-Encoding": "identity"})
    with client.stream("GET", PATH, headers={"Accept-Encoding": accepted}) as answer:
        assert answer.headers.get("content-encoding") == used
        sent = b"".join(answer.iter_raw())
    assert UNPACK[used](sent) == plain.content
    assert used is None or len(sent) < len(plain.content) / 4


def test_a_stream_of_events_is_sent_as_it_is(client: TestClient, run_id: int) -> None:
    client.post(f"/api/v1/jobs/{run_id}/stop")
    path = f"/api/v1/jobs/{run_id}/stream"
    with client.stream("GET", path, headers={"Accept-Encoding": "zstd, gzip"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in answer.headers
        answer.read()
