"""Saved searches: each account has its own."""

from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.account.role import Role
from patina.image.saved import MOST_SEARCHES_COUNT
from people import client_with, token_of

SEARCHES = "/api/v1/searches"


def save(client: TestClient, name: str, **search: Any) -> Any:
    return client.post(SEARCHES, json={"name": name, "search": search})


def names_of(client: TestClient) -> list[str]:
    return [item["name"] for item in client.get(SEARCHES).json()["items"]]


def test_a_search_is_saved_replaced_and_removed(client: TestClient) -> None:
    assert names_of(client) == []
    made = save(client, " Mail ", q="mail", file_system=["ext4", ""], sort="stored")
    assert (made.status_code, made.json()["name"]) == (200, "Mail")
    again = save(client, "Mail", q="postfix").json()
    assert again["id"] == made.json()["id"]
    save(client, "All xfs", file_system=["xfs"])
    assert names_of(client) == ["All xfs", "Mail"]
    [_, mail] = client.get(SEARCHES).json()["items"]
    assert (mail["search"]["q"], mail["search"]["sort"], mail["search"]["file_system"]) == ("postfix", "newest", [])
    assert client.delete(f"{SEARCHES}/{mail['id']}").status_code == 204
    assert names_of(client) == ["All xfs"]
    assert client.delete(f"{SEARCHES}/{mail['id']}").json()["code"] == "search_unknown"


def test_searches_of_others_are_not_shown(app: FastAPI, client: TestClient) -> None:
    search_id = save(client, "Mine").json()["id"]
    with client_with(app, token_of("vi", Role.VIEWER)) as vi:
        assert names_of(vi) == []
        assert vi.delete(f"{SEARCHES}/{search_id}").json()["code"] == "search_unknown"
        assert save(vi, "Mine", q="hers").status_code == 200
    assert names_of(client) == ["Mine"]


def test_bad_searches_are_refused(client: TestClient) -> None:
    assert save(client, "  ").status_code == 422
    assert save(client, "x" * 101).status_code == 422
    assert save(client, "x", sort="by colour").status_code == 422
    assert save(client, "x", colour=["red"]).status_code == 422


def test_an_account_has_a_limited_number(client: TestClient) -> None:
    for number in range(MOST_SEARCHES_COUNT):
        assert save(client, f"search {number}").status_code == 200
    refused = save(client, "one more")
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_searches")
    assert save(client, "search 0", q="replaced").status_code == 200
