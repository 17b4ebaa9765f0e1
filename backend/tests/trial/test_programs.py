"""Workloads that a host must allow: commands, and repositories in scan folders."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from trial_rows import make_image, trial_body

Factory = Callable[..., int]


@pytest.mark.parametrize(
    ("workload", "code", "said"),
    [
        (
            {"kind": "command", "name": "mine", "program": "format"},
            "command_not_allowed",
            "does not allow trials to run format. Allowed: rebuild.",
        ),
        (
            {"kind": "git", "repository": "/srv/data/../secret"},
            "scan_not_allowed",
            "does not allow a trial to read /srv/data/../secret. Allowed folders: /srv/data.",
        ),
    ],
)
def test_what_the_host_does_not_allow_is_refused(
    client: TestClient,
    make_device: Factory,
    publish_image: Factory,
    workload: dict[str, object],
    code: str,
    said: str,
) -> None:
    body = trial_body(make_device(), make_image(publish_image), workloads=[workload])
    answer = client.post("/api/v1/trials", json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, code), answer.text
    assert said in answer.json()["detail"]
    assert client.get("/api/v1/trials").json()["items"] == []


def test_what_the_host_allows_is_queued_as_it_will_run(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    workloads = [
        {"kind": "command", "name": "mine", "program": "rebuild", "arguments": ["--all"]},
        {"kind": "git", "repository": "/srv/data/x/../linux", "variant": "full"},
    ]
    body = trial_body(make_device(), make_image(publish_image), workloads=workloads)
    answer = client.post("/api/v1/trials", json=body)
    assert answer.status_code == 202, answer.text
    command, git = answer.json()["settings"]["workloads"]
    assert (command["program"], command["arguments"]) == ("rebuild", ["--all"])
    assert git["repository"] == "/srv/data/linux"


@pytest.mark.parametrize("repository", ["linux", "/srv/data/a\nb", "/srv/data/a\x00b", ""])
def test_a_repository_is_an_absolute_path_of_one_line(
    client: TestClient, make_device: Factory, publish_image: Factory, repository: str
) -> None:
    body = trial_body(make_device(), make_image(publish_image), workloads=[{"kind": "git", "repository": repository}])
    assert client.post("/api/v1/trials", json=body).status_code == 422


def test_git_with_more_points_than_a_figure_shows_is_refused(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    git = {"kind": "git", "pulls_count": 1000, "grep_every": 4}
    body = trial_body(make_device(), make_image(publish_image), workloads=[git])
    answer = client.post("/api/v1/trials", json=body)
    assert answer.status_code == 422
    assert "choose a larger grep_every" in answer.text


@pytest.mark.parametrize("program", ["", "../sh", "/bin/sh", "a b", "-c", "."])
def test_a_program_is_a_plain_file_name(
    client: TestClient, make_device: Factory, publish_image: Factory, program: str
) -> None:
    workload = {"kind": "command", "name": "mine", "program": program}
    body = trial_body(make_device(), make_image(publish_image), workloads=[workload])
    assert client.post("/api/v1/trials", json=body).status_code == 422
