"""Errors have a code, a title and a status; the API's document lists all codes."""

import pytest
from fastapi.testclient import TestClient

from patina.errors import TITLES, NotFound, PatinaError


def test_an_error_is_made_of_its_code_and_title_and_takes_the_rest_from_its_sort() -> None:
    made = NotFound.of("of_a_test", "Nothing here")
    error = made("There is no such thing.")
    assert isinstance(error, NotFound)
    assert (error.code, error.title, error.status, error.message) == (
        "of_a_test", "Nothing here", 404, "There is no such thing.",
    )  # fmt: skip
    assert TITLES.pop("of_a_test") == "Nothing here"


def test_a_status_of_its_own_is_kept_by_what_is_made_of_it() -> None:
    base = PatinaError.of("of_a_test", "One", status=507)
    assert base.of("of_another", "Two")("").status == 507
    for code in ("of_a_test", "of_another"):
        del TITLES[code]


@pytest.mark.parametrize("path", ["/api/v1/runs/99", "/api/v1/jobs/99", "/api/v1/nothing", "/api/v1/runs/x"])
def test_the_code_of_a_refusal_is_one_that_the_document_names(client: TestClient, path: str) -> None:
    document = client.get("/api/openapi.json").json()
    codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    answer = client.get(path).json()
    assert answer["code"] in codes
    assert answer["title"] == TITLES[answer["code"]]
