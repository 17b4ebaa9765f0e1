"""Requests generated from the API's schema, sent as every role and as a stranger, against the real application and
database: answered or refused with a problem, never with a 500. Who lacks the right reads nothing."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from patina.account import limit
from patina.account.role import Role
from patina.http.rights import RIGHTS
from patina.settings import PROJECT_DIR
from patina_dev.testing.owner import HEADERS, TOKEN
from patina_dev.testing.property import property_cases
from patina_dev.testing.served import ServedApp
from people import token_of

PATHS = r"^/(api/v1|store)/(?!jobs/(\{job_id\}/)?stream$)"  # a stream does not end
NAME = "fuzzed"
LESSER = itertools.cycle([None, *(role for role in Role if role != Role.OWNER)])
# Requests with another method than the route's find no route.
REFUSALS = {"sign_in_required", "right_missing", "too_many_tries", "not_found", "method_not_allowed"}
KEPT: dict[str, Any] = {
    "name": NAME,
    "title": "Fuzzed",
    "histograms": {
        "size": [{"bytes": 4096, "weight": 1}],
        "depth": [{"depth": 1, "weight": 1, "subdirs": 3}],
        "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
    },
    "message": "To be found",
    "author": "A test",
}


def _schema() -> Any:
    document = json.loads((PROJECT_DIR / "frontend" / "openapi.json").read_text(encoding="utf-8"))
    # 3.2 only adds event streams; the fuzzer supports 3.1.
    document["openapi"] = "3.1.0"
    return schemathesis.openapi.from_dict(document).include(path_regex=PATHS)


@pytest.fixture(scope="module")
def user() -> Iterator[requests.Session]:
    """Yields one connection for all requests of the fuzzer."""
    with requests.Session() as session:
        yield session


@pytest.fixture
def tokens(server: ServedApp) -> dict[Role | None, str]:
    """Returns an access token of each role but the owner's; a stranger's is unknown."""
    limit.forget()
    roles = [role for role in Role if role != Role.OWNER]
    made: dict[Role | None, str] = {role: token_of(f"a-{role}", role) for role in roles}
    return made | {None: "patina-token-unknown", Role.OWNER: TOKEN}


@pytest.fixture
def rows(server: ServedApp, capture_image: Callable[..., int], tmp_path: Path) -> None:
    """Captures an image, with its run, its device and its host. Each has the id 1."""
    (tmp_path / "device").write_bytes(b"\1" * 2**20)
    capture_image(tmp_path / "device")


@pytest.mark.slow
@_schema().parametrize()
@settings(
    max_examples=property_cases(6),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_request_is_answered(
    case: schemathesis.Case[Any],
    server: ServedApp,
    user: requests.Session,
    tokens: dict[Role | None, str],
    rows: None,
) -> None:
    _aim(case)
    user.post(f"{server.url}/api/v1/profiles", json=KEPT, headers=HEADERS)
    right = RIGHTS[case.operation.definition.raw["operationId"]]
    # One lesser role for each request, all in turn; the owner last, who may end what others use.
    for role in (next(LESSER), Role.OWNER):
        user.headers["Authorization"] = f"Bearer {tokens[role]}"
        answer = case.call(base_url=server.url, session=user)
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == ["application/problem+json"]
        if right is not None and not (role is not None and role.includes(right)):
            assert _code(answer) in REFUSALS, case.as_curl_command()


def _code(answer: Any) -> str:
    return str(json.loads(answer.text)["code"]) if answer.status_code >= 400 else "answered"


def _aim(case: schemathesis.Case[Any]) -> None:
    """Directs every other request at an existing row, with its current ETag: generated ones seldom match."""
    for name, value in case.path_parameters.items():
        if name.endswith("_id") and len(str(value)) % 2:
            case.path_parameters[name] = 1
    if "name" in case.path_parameters and len(str(case.path_parameters["name"])) % 2:
        case.path_parameters["name"] = NAME
        if case.headers and "If-Match" in case.headers:
            case.headers["If-Match"] = "*"
    if isinstance(case.body, dict) and isinstance(case.body.get("profile"), str):
        case.body["profile"] = NAME
