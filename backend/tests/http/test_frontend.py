"""The built frontend: which files a browser caches, and which it requests again."""

import gzip
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.http.frontend import install_frontend


@pytest.fixture
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("dist")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text('<title>Patina</title><style nonce="PATINA_NONCE"></style>')
    (folder / "docs.html").write_text("<title>The API</title>")
    (folder / "assets/index-C0ffee.js").write_text("export {};")
    (folder / "assets/index-C0ffee.js.gz").write_bytes(gzip.compress(b"export {};"))
    app = FastAPI()
    install_frontend(app, folder)
    with TestClient(app) as client:
        yield client


def test_a_file_with_a_hash_in_its_name_is_not_asked_for_again(built: TestClient) -> None:
    answer = built.get("/assets/index-C0ffee.js")
    assert (answer.status_code, answer.text) == (200, "export {};")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("accepted", "encoding"), [("gzip, br", "gzip"), ("gzip;q=0", None), ("identity", None), ("zstd", None)]
)
def test_a_file_is_sent_as_the_build_packed_it(built: TestClient, accepted: str, encoding: str | None) -> None:
    answer = built.get("/assets/index-C0ffee.js", headers={"Accept-Encoding": accepted})
    assert (answer.status_code, answer.text) == (200, "export {};")
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["vary"] == "Accept-Encoding"


def test_a_page_is_asked_for_again_so_that_it_names_the_files_of_now(built: TestClient) -> None:
    answer = built.get("/runs/1")
    assert answer.status_code == 200
    assert answer.text.startswith("<title>Patina</title>")
    assert answer.headers["cache-control"] == "no-cache"
    assert "etag" not in answer.headers


def test_a_page_runs_no_script_and_no_style_but_its_own(built: TestClient) -> None:
    answers = [built.get("/devices"), built.get("/index.html"), built.get("/")]
    policies = [answer.headers["content-security-policy"] for answer in answers]
    nonces = [policy.partition("'nonce-")[2].partition("'")[0] for policy in policies]
    assert len(set(nonces)) == 3
    assert all(f'<style nonce="{nonce}">' in answer.text for nonce, answer in zip(nonces, answers, strict=True))
    assert all("script-src 'self';" in policy and "unsafe" not in policy for policy in policies)


def test_the_documentation_of_the_api_comes_from_this_server(built: TestClient) -> None:
    answer = built.get("/api/docs")
    assert (answer.status_code, answer.text) == (200, "<title>The API</title>")
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_file_of_an_earlier_build_is_missing_and_not_kept_as_such(built: TestClient) -> None:
    answer = built.get("/assets/index-0ld.js")
    assert answer.status_code == 404
    assert "cache-control" not in answer.headers
