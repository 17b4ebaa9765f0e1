"""Search of the catalog: words, facets, orders; compared with a search of the answered images in Python."""

import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.image.models import Image
from patina.image.search import FACETS
from patina.image.sort import Sort
from trial_rows import IMPORTED, intake, make_image

Factory = Callable[..., int]
SEED = 20261130
RECIPES: list[dict[str, Any]] = [
    {"profile": "agrawal", "kernel": "6.1.0-44-amd64", "device_model": "Samsung SSD 990 PRO", "host": "lab-1"},
    {"profile": "meyer", "kernel": "6.18.2", "device_model": None, "host": "lab-2"},
    {"profile": None, "workload": "fsfb", "kernel": "6.18.2", "device_model": "WDC_WD40", "host": "lab-1"},
    {"profile": None, "workload": "churn", "kernel": "5.15.0", "device_model": None, "host": "Würzburg"},
]
TEXTS_OF_RECIPE = ("profile", "workload", "kernel", "device_model", "host")


def found(client: TestClient, **search: Any) -> list[str]:
    """Returns the names that a search finds, in its order, by pages of three."""
    names: list[str] = []
    cursor: int | None = None
    while cursor is not None or not names:
        after = {} if cursor is None else {"cursor": cursor}
        page = client.get("/api/v1/images", params=search | {"limit": 3} | after).json()
        names += [image["name"] for image in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return names


def counts(client: TestClient, **search: Any) -> tuple[int, dict[str, dict[str, int]]]:
    """Returns the number of images, and the numbers by value and facet."""
    answer = client.get("/api/v1/images/facets", params=search).json()
    facets = {
        facet["name"]: {value["value"]: value["images_count"] for value in facet["values"]}
        for facet in answer["facets"]
    }
    return answer["images_count"], facets


@pytest.fixture
def catalog(client: TestClient, publish_image: Factory) -> TestClient:
    """Returns a client of a catalog with an aged image, one of a workload, and an imported one."""
    make_image(publish_image, "agrawal-70-ext4-1", recipe=RECIPES[0])
    make_image(publish_image, "fsfb-95-xfs-2", file_system="xfs", recipe=RECIPES[2], stored_bytes=1)
    imported = {
        "file_system": None,
        "intake": intake("foreign") | {"kernel": "4.19", "source": "Laptop of Zoë; used 3 years", "file_name": "a.raw"},
    }
    make_image(publish_image, "old-laptop", **IMPORTED | imported)
    return client


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", ["old-laptop", "fsfb-95-xfs-2", "agrawal-70-ext4-1"]),
        ("agr", ["agrawal-70-ext4-1"]),
        ("AGRAWAL Ext4", ["agrawal-70-ext4-1"]),
        ("ext4 agrawal", ["agrawal-70-ext4-1"]),
        ("rawal", []),
        ("6.1", ["fsfb-95-xfs-2", "agrawal-70-ext4-1"]),  # 6.18 begins with it
        ("6.1.0-44", ["agrawal-70-ext4-1"]),
        ("samsung 990", ["agrawal-70-ext4-1"]),
        ("wd40", ["fsfb-95-xfs-2"]),
        ("lab", ["fsfb-95-xfs-2", "agrawal-70-ext4-1"]),
        ("zoë laptop", ["old-laptop"]),
        ("zo", ["old-laptop"]),
        ("a.raw 4.19", ["old-laptop"]),
        ("agrawal | fsfb", []),
        ("!agrawal", ["agrawal-70-ext4-1"]),
        ("'agrawal':* \\", ["agrawal-70-ext4-1"]),
        ("(agr) & <->", ["agrawal-70-ext4-1"]),
        ("%s %(q)s :q", []),
        ("a\0grawal", []),
        ("- _ *", ["old-laptop", "fsfb-95-xfs-2", "agrawal-70-ext4-1"]),
    ],
)
def test_words_match_the_beginnings_of_words(catalog: TestClient, words: str, names: list[str]) -> None:
    assert found(catalog, q=words) == names
    assert counts(catalog, q=words)[0] == len(names)


def test_values_of_one_facet_widen_a_search_and_those_of_another_narrow_it(catalog: TestClient) -> None:
    assert found(catalog, file_system=["ext4", "xfs"]) == ["fsfb-95-xfs-2", "agrawal-70-ext4-1"]
    assert found(catalog, file_system=["ext4", "xfs"], workload="fsfb") == ["fsfb-95-xfs-2"]
    assert found(catalog, file_system=["ext4"], workload="fsfb") == []
    assert found(catalog, file_system="") == ["old-laptop"]
    assert found(catalog, q="agr", origin="imported") == []


def test_images_are_found_by_their_ids(catalog: TestClient) -> None:
    oldest, _, newest = reversed(catalog.get("/api/v1/images").json()["items"])
    assert found(catalog, id=[newest["id"], oldest["id"], 999]) == [newest["name"], oldest["name"]]
    assert found(catalog, id=[oldest["id"]], q="laptop") == []


def test_the_counts_of_a_facet_ignore_its_own_choice(catalog: TestClient) -> None:
    count, facets = counts(catalog, file_system="ext4")
    assert count == 1
    assert facets["file_system"] == {"": 1, "ext4": 1, "xfs": 1}
    assert facets["origin"] == {"aged": 1}
    count, facets = counts(catalog, file_system="ext4", origin="imported")
    assert (count, facets["file_system"], facets["origin"]) == (0, {"": 1}, {"aged": 1})
    assert facets["kernel"] == {}


def test_a_deleted_image_is_neither_found_nor_counted(catalog: TestClient) -> None:
    (image,) = catalog.get("/api/v1/images", params={"q": "old-laptop"}).json()["items"]
    assert catalog.delete(f"/api/v1/images/{image['id']}").status_code == 204
    assert found(catalog, q="laptop") == []
    count, facets = counts(catalog)
    assert (count, facets["origin"]) == (2, {"aged": 2})


def test_a_facet_has_at_most_fifty_values_the_most_frequent_first(client: TestClient, publish_image: Factory) -> None:
    for number in range(52):
        make_image(publish_image, f"image-{number}", recipe={"kernel": f"6.{number // 2 if number < 4 else number}"})
    answer = client.get("/api/v1/images/facets").json()
    (kernels,) = [facet["values"] for facet in answer["facets"] if facet["name"] == "kernel"]
    assert [value["images_count"] for value in kernels] == [2, 2] + [1] * 48


@pytest.mark.parametrize(
    "search", [{"q": "x" * 201}, {"sort": "size"}, {"origin": ["aged"] * 51}, {"limit": 0}, {"cursor": 0}]
)
def test_an_invalid_search_is_refused(client: TestClient, search: dict[str, Any]) -> None:
    assert client.get("/api/v1/images", params=search).json()["code"] == "request_invalid"


def test_random_searches_find_what_a_search_in_python_finds(client: TestClient, publish_image: Factory) -> None:
    generator = random.Random(SEED)
    for number in range(30):
        make_image(
            publish_image,
            f"{generator.choice(['alpha', 'beta', 'gamma'])}-{number}",
            file_system=generator.choice(["ext4", "xfs", "btrfs"]),
            recipe=generator.choice(RECIPES),
            size_bytes=generator.choice([2**20, 2**30]),
            stored_bytes=generator.choice([1, 2, 3]),
            fullness=generator.choice([0.1, 0.5, 0.9]),
        )
    with transaction() as session:
        images = session.query(Image).all()
        for image in images:
            session.expunge(image)
    assert found(client) == [image.name for image in sorted(images, key=lambda image: -image.id)]
    for _ in range(60):
        search = _random_search(generator, images)
        sort = generator.choice(list(Sort))
        expected = [image for image in images if _is_found(image, search)]
        assert found(client, sort=sort.value, **search) == [image.name for image in _sorted(expected, sort)]
        total, facets = counts(client, **search)
        assert total == len(expected)
        for name, counted in facets.items():
            others = {key: value for key, value in search.items() if key != name}
            assert counted == Counter(_value(image, name) for image in images if _is_found(image, others)), search


def _random_search(generator: random.Random, images: list[Image]) -> dict[str, Any]:
    words = sorted(_words_of(generator.choice(images)))
    search: dict[str, Any] = {}
    if generator.random() < 0.5:
        search["q"] = " ".join(word[: generator.randint(1, len(word))] for word in generator.sample(words, 2))
    for name in generator.sample(sorted(FACETS), generator.randint(0, 2)):
        search[name] = [_value(generator.choice(images), name) for _ in range(generator.randint(1, 2))]
    return search


def _words_of(image: Image) -> set[str]:
    recipe = image.recipe or {}
    texts = [image.name, image.file_system, *(recipe.get(name) for name in TEXTS_OF_RECIPE)]
    return {word for word in re.split(r"[^\wü]+|_", " ".join(filter(None, texts)).lower()) if word}


def _value(image: Image, name: str) -> str:
    recipe = image.recipe or {}
    value = recipe.get(name) if name in TEXTS_OF_RECIPE else getattr(image, name)
    return "" if value is None else str(value)


def _is_found(image: Image, search: dict[str, Any]) -> bool:
    words = _words_of(image)
    has_words = all(any(word.startswith(asked) for word in words) for asked in search.get("q", "").split())
    return has_words and all(_value(image, name) in values for name, values in search.items() if name != "q")


def _sorted(images: list[Image], sort: Sort) -> list[Image]:
    keys: dict[Sort, Callable[[Image], Any]] = {
        Sort.NEWEST: lambda image: -image.id,
        Sort.OLDEST: lambda image: image.id,
        Sort.NAME: lambda image: image.name,
        Sort.STORED: lambda image: (-image.stored_bytes, -image.id),
        Sort.FULLNESS: lambda image: (-(image.fullness or 0), -image.id),
    }
    return sorted(images, key=keys[sort])
