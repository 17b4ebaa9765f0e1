"""Exports: a version as a file, which reads back as the same version, with the same digest."""

import csv
import io
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from patina.profile.digest import profile_digest
from patina.profile.export import MEDIA_TYPES, ExportFormat, export_version
from patina.profile.histogram import Histograms
from patina.profile.models import Profile, ProfileVersion
from patina.profile_import.service import read_files
from patina.profile_import.source import SourceFile
from patina.settings import settings as installed
from patina_dev.testing.property import property_cases
from patina_stack.services import PrivateServices

FORMATS: list[ExportFormat] = ["patina", "geriatrix", "csv"]
WEIGHTS = st.one_of(st.floats(0, 1e15), st.integers(0, 10**15), st.floats(0, 1), st.just(0.0))
DIRECTORIES_PER_DEPTH = 1500  # so that 65 depths have fewer than 100 000


def _bins(edges: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[tuple[Any, float]]]:
    pairs = st.tuples(edges, WEIGHTS)
    unique = st.lists(pairs, min_size=1, max_size=most, unique_by=lambda pair: pair[0])
    return unique.map(sorted).filter(lambda bins: any(weight > 0 for _, weight in bins))


@st.composite
def histograms(draw: st.DrawFn) -> Histograms:
    """Draws any valid histograms: sizes to 64 TiB, ages of any magnitude, weights of 0 to 10^15."""
    size = draw(_bins(st.one_of(st.integers(0, 2**46), st.integers(0, 46).map(lambda n: 2**n)), 40))
    depth = draw(_bins(st.integers(0, 64), 65))
    age = draw(_bins(st.floats(0, 1e18, exclude_min=True), 40))
    subdirs = draw(st.lists(st.integers(0, DIRECTORIES_PER_DEPTH), min_size=len(depth), max_size=len(depth)))
    return Histograms.model_validate(
        {
            "size": [{"bytes": edge, "weight": weight} for edge, weight in size],
            "depth": [
                {"depth": edge, "weight": weight, "subdirs": count}
                for (edge, weight), count in zip(depth, subdirs, strict=True)
            ],
            "age": [{"age": edge, "weight": weight} for edge, weight in age],
        }
    )


@settings(max_examples=property_cases(20))
@given(histograms())
def test_every_export_is_read_again_as_the_same(services: PrivateServices, content: Histograms) -> None:
    profile = Profile(name="any", title="Any", description="Some *text*\n", source="“An author”, 2026", tags=["a"])
    version = ProfileVersion(number=3, profile=profile, **content.model_dump(mode="json"))
    digest = profile_digest(content.model_dump(mode="json"))
    for format_ in FORMATS:
        file = export_version(version=version, format=format_)
        reading = read_files(files=[SourceFile(file.name, file.content)], histogram=None)
        assert [row.problem for row in reading.rows if row.problem] == []
        assert Histograms.model_validate(reading.histograms.model_dump()) == content
        assert (reading.format, reading.digest) == (format_, digest)
        assert export_version(version=version, format=format_).content == file.content


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("name", ["agrawal", "douceur", "meyer", "wang-lanl", "wang-os"])
def test_an_exported_version_comes_as_a_file_and_is_imported_as_it_was(
    client: TestClient, name: str, format_: ExportFormat
) -> None:
    file = client.get(f"/api/v1/profiles/{name}/versions/1/export", params={"format": format_})
    assert file.headers["Content-Type"] == MEDIA_TYPES[format_]
    ending = {"patina": "json", "geriatrix": "zip", "csv": "csv"}[format_]
    assert file.headers["Content-Disposition"] == f'attachment; filename="{name}-1.{ending}"'
    reading = client.post("/api/v1/profile_readings", files={"files": (f"{name}-1.{ending}", file.content)}).json()
    assert reading["digest"] == client.get(f"/api/v1/profiles/{name}").json()["latest_version"]["digest"]


def exported(client: TestClient, format_: str) -> bytes:
    return client.get("/api/v1/profiles/agrawal/versions/1/export", params={"format": format_}).content


def test_what_is_exported_is_what_the_core_reads(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(exported(client, "patina"))
    with zipfile.ZipFile(io.BytesIO(exported(client, "geriatrix"))) as archive:
        archive.extractall(tmp_path / "texts")
    digest = client.get("/api/v1/profiles/agrawal").json()["latest_version"]["digest"]
    for place in ("a.json", "texts"):
        argv = [str(installed().core), "forecast", "--profile", str(tmp_path / place), "--capacity", "1GiB"]
        done = subprocess.run([*argv, "--fullness", "0.7"], capture_output=True, text=True, check=True)
        assert json.loads(done.stdout.splitlines()[-1])["profile_digest"] == digest


def test_the_texts_look_as_geriatrix_writes_them(client: TestClient) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(client, "geriatrix"))) as archive:
        assert archive.namelist() == ["size_distribution.txt", "dir_distribution.txt", "age_distribution.txt"]
        assert archive.read("dir_distribution.txt").decode().splitlines()[:3] == ["15", "1 1 1", "2 2 5"]


def test_the_table_has_a_heading_and_a_row_a_bin(client: TestClient) -> None:
    rows = list(csv.reader(io.StringIO(exported(client, "csv").decode())))
    assert rows[:2] == [["histogram", "edge", "weight", "subdirs"], ["size", "8", "1", ""]]
    assert ["depth", "3", "14", "13"] in rows


def test_patinas_json_tells_title_and_source(client: TestClient) -> None:
    document = json.loads(exported(client, "patina"))
    assert (document["type"], document["schema_version"], document["title"]) == ("patina_profile", 1, "Agrawal 2007")


def test_another_format_is_refused(client: TestClient) -> None:
    answer = client.get("/api/v1/profiles/agrawal/versions/1/export", params={"format": "xls"})
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
