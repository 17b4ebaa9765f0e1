"""Built-in profiles, and refusals of invalid ones."""

import json

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from patina import __version__
from patina.core.client import CoreUnavailable
from patina.db import transaction
from patina.profile import service
from patina.profile.digest import profile_digest
from patina.profile.histogram import Histograms, ProfileInvalid
from patina.settings import forget_settings, settings

VALID: dict[str, object] = {
    "size": [{"bytes": 4096, "weight": 1}, {"bytes": 8192, "weight": 2}],
    "depth": [{"depth": 0, "weight": 1, "subdirs": 0}, {"depth": 1, "weight": 1, "subdirs": 3}],
    "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
}


def test_the_five_built_in_profiles_are_listed_with_their_sources(client: TestClient) -> None:
    items = client.get("/api/v1/profiles").json()["items"]
    assert [p["name"] for p in items] == ["agrawal", "douceur", "meyer", "wang-lanl", "wang-os"]
    assert all(p["is_builtin"] and p["source"] and p["latest_version"]["number"] == 1 for p in items)


def test_an_unknown_profile_is_refused_with_the_names_there_are(client: TestClient) -> None:
    answer = client.get("/api/v1/profiles/agrawl")
    assert (answer.status_code, answer.json()["code"]) == (404, "profile_unknown")
    assert "agrawal" in answer.json()["detail"]


def test_loading_the_built_in_profiles_again_makes_no_new_version(client: TestClient) -> None:
    with transaction() as session:
        service.load_builtin(session=session, folder=settings().profiles_dir)
    assert client.get("/api/v1/profiles/meyer").json()["latest_version"]["number"] == 1


def test_a_changed_built_in_profile_becomes_a_new_version(
    client: TestClient, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("profiles")
    document = json.loads((settings().profiles_dir / "meyer.json").read_text())
    document["age"] = document["age"][:3]
    (folder / "meyer.json").write_text(json.dumps(document))
    with transaction() as session:
        service.load_builtin(session=session, folder=folder)
    latest = client.get("/api/v1/profiles/meyer").json()["latest_version"]
    assert (latest["number"], len(latest["age"])) == (2, 3)
    assert (latest["author"], latest["message"]) == ("Patina", f"As Patina {__version__} has it")
    versions = client.get("/api/v1/profiles/meyer/versions").json()["items"]
    assert [v["number"] for v in versions] == [2, 1]
    assert versions[0]["digest"] != versions[1]["digest"]


def test_a_changed_citation_makes_no_new_version(client: TestClient, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("profiles")
    document = json.loads((settings().profiles_dir / "meyer.json").read_text())
    (folder / "meyer.json").write_text(json.dumps(document | {"source": "A better citation"}))
    with transaction() as session:
        service.load_builtin(session=session, folder=folder)
    profile = client.get("/api/v1/profiles/meyer").json()
    assert (profile["source"], profile["versions_count"]) == ("A better citation", 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"depth": [{"depth": 65, "weight": 1, "subdirs": 1}]}, "less than or equal to 64"),
        ({"size": []}, "at least 1 item"),
        ({"age": [{"age": float("nan"), "weight": 1}]}, "finite number"),
        ({"size": [{"bytes": 1, "weight": -1}]}, "greater than or equal to 0"),
        ({"size": [{"bytes": 1, "weight": 1, "color": "red"}]}, "Extra inputs"),
        ({"size": [{"bytes": 2**46 + 1, "weight": 1}]}, "less than or equal to 70368744177664"),
        ({"age": [{"age": i + 1, "weight": 1} for i in range(257)]}, "at most 256 items"),
    ],
)
def test_a_histogram_that_makes_no_sense_is_refused_naming_the_bin(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Histograms.model_validate(VALID | change)


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        (
            {"age": [{"age": 10, "weight": 1}, {"age": 1, "weight": 1}]},
            "histograms.age.1.age",
            "age bin 2: edge 1.0 must be greater than 10.0 before it",
        ),
        (
            {"size": [{"bytes": 1, "weight": 1}, {"bytes": 1, "weight": 1}]},
            "histograms.size.1.bytes",
            "size bin 2: edge 1 must be greater than 1 before it",
        ),
        ({"size": [{"bytes": 1, "weight": 0}]}, "histograms.size", "size: at least one bin needs a weight above 0"),
        (
            {"depth": [{"depth": d, "weight": 1, "subdirs": 60_000} for d in (1, 2)]},
            "histograms.depth",
            "depth: 120000 directories in all; the limit is 100000",
        ),
    ],
)
def test_bins_that_do_not_go_together_are_refused_by_their_place(
    change: dict[str, object], field: str, said: str
) -> None:
    with pytest.raises(ProfileInvalid) as refused:
        Histograms.model_validate(VALID | change)
    assert [(p.field, p.message) for p in refused.value.errors] == [(field, said)]


def test_the_digest_is_the_cores_and_looks_at_the_shape_alone() -> None:
    same = VALID | {"age": [{"age": 1, "weight": 50}, {"age": 10, "weight": 50}]}
    other = VALID | {"age": [{"age": 1, "weight": 50}, {"age": 10, "weight": 51}]}
    assert profile_digest(VALID) == profile_digest(same)
    assert profile_digest(VALID) != profile_digest(other)


def test_what_the_core_refuses_has_no_digest() -> None:
    with pytest.raises(ProfileInvalid, match="age bin 0"):
        profile_digest(VALID | {"age": [{"age": 0, "weight": 1}]})


def test_without_a_core_there_is_no_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "none")
    monkeypatch.setenv("REDIS_URL", "none")
    monkeypatch.setenv("PATINA_CORE", "/nonexistent")
    forget_settings()
    with pytest.raises(CoreUnavailable, match="make native"):
        profile_digest(VALID | {"age": [{"age": 3, "weight": 7}]})
    monkeypatch.undo()
    forget_settings()


@given(st.lists(st.tuples(st.integers(0, 2**40), st.floats(0, 1e9)), min_size=1, max_size=40, unique_by=lambda b: b[0]))
def test_any_ascending_sizes_with_some_weight_are_accepted(bins: list[tuple[int, float]]) -> None:
    sizes = [{"bytes": edge, "weight": weight} for edge, weight in sorted(bins)]
    sizes[0]["weight"] = 1
    content = Histograms.model_validate(VALID | {"size": sizes})
    assert [b.bytes for b in content.size] == sorted(edge for edge, _ in bins)
