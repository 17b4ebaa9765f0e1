"""Profiles: what is built in, what is refused."""

import json

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from patina.db import transaction
from patina.profile import service
from patina.profile.histogram import Histograms
from patina.settings import settings

VALID = {
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"age": [{"age": 10, "weight": 1}, {"age": 1, "weight": 1}]}, "age bin 2: edge 1.0 must be greater"),
        ({"size": [{"bytes": 1, "weight": 0}]}, "size: at least one bin needs a weight"),
        ({"depth": [{"depth": 65, "weight": 1, "subdirs": 1}]}, "less than or equal to 64"),
        ({"size": []}, "at least 1 item"),
        ({"age": [{"age": float("nan"), "weight": 1}]}, "finite number"),
        ({"size": [{"bytes": 1, "weight": -1}]}, "greater than or equal to 0"),
        ({"size": [{"bytes": 1, "weight": 1, "color": "red"}]}, "Extra inputs"),
    ],
)
def test_a_histogram_that_makes_no_sense_is_refused_naming_the_bin(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Histograms.model_validate(VALID | change)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.floats(0, 1e9)), min_size=1, max_size=40, unique_by=lambda b: b[0]))
def test_any_ascending_sizes_with_some_weight_are_accepted(bins: list[tuple[int, float]]) -> None:
    sizes = [{"bytes": edge, "weight": weight} for edge, weight in sorted(bins)]
    sizes[0]["weight"] = 1
    content = Histograms.model_validate(VALID | {"size": sizes})
    assert [b.bytes for b in content.size] == sorted(edge for edge, _ in bins)
