"""Studies through the API: their settings and refusals, their figures, their exports."""

import csv
import io
import json
from typing import Any

import pytest
import scipy.stats
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.core.contract.shingle import CLEANERS, PLACEMENTS
from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import PROJECT_DIR
from patina.study.models import Study
from patina.study.plans import PLANS, described
from patina.study.settings import MOST_RESULTS_COUNT
from study_rows import capacity_body, capacity_summary, cleaning_body, cleaning_summary, found


def started(client: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post("/api/v1/studies", json=body)
    assert answer.status_code == 202, answer.text
    study: dict[str, Any] = answer.json()
    assert client.get(answer.headers["location"]).json() == study
    return study


def refusal(client: TestClient, body: dict[str, Any]) -> str:
    answer = client.post("/api/v1/studies", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid"), answer.text
    detail: str = answer.json()["detail"]
    return detail


def test_a_study_is_queued_with_its_cells_before_any_result(client: TestClient, host_id: int) -> None:
    study = started(client, capacity_body() | {"name": " Ours ", "note": "why"})
    assert (study["kind"], study["state"], study["name"], study["note"]) == ("study", "queued", "Ours", "why")
    assert (study["done_count"], study["total_count"], study["resumes_left_count"]) == (0, 12, 3)
    cells = [(cell["policy"], cell["did_blocks"], cell["fullness"], cell["figures"]) for cell in study["cells"]]
    assert cells == [("best", 16, None, {}), ("worst", 16, None, {}), ("best", 512, None, {}), ("worst", 512, None, {})]
    assert study["settings"]["dnor_blocks"] == 0
    [listed] = client.get("/api/v1/studies").json()["items"]
    assert (listed["id"], listed["study_kind"], listed["cells_count"]) == (study["id"], "capacity", 4)
    assert (listed["done_count"], listed["total_count"]) == (0, 12)


def test_cells_of_cleaning_are_by_did_fullness_policy_and_cleaner(client: TestClient, host_id: int) -> None:
    body = cleaning_body(did_blocks=[16, 32], fullnesses=[0.5, 0.9])
    cells = started(client, body)["cells"]
    assert [(cell["did_blocks"], cell["fullness"], cell["interface"], cell["policy"]) for cell in cells] == [
        (did, fullness, interface, policy)
        for did in (16, 32)
        for fullness in (0.5, 0.9)
        for interface, policy in (("caveat", "next"), ("strict-append", "greedy"))
    ]


def test_the_same_key_starts_one_study(client: TestClient, host_id: int) -> None:
    key = {"Idempotency-Key": "once"}
    ids = {client.post("/api/v1/studies", json=capacity_body(), headers=key).json()["id"] for _ in range(2)}
    assert len(ids) == 1
    other = client.post("/api/v1/studies", json=cleaning_body(), headers=key)
    assert other.json()["code"] == "idempotency_key_reused"


def test_pages_of_the_list_follow_each_other(client: TestClient, host_id: int) -> None:
    ids = [started(client, capacity_body())["id"] for _ in range(3)]
    first = client.get("/api/v1/studies", params={"limit": 2}).json()
    assert [item["id"] for item in first["items"]] == ids[:0:-1]
    second = client.get("/api/v1/studies", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert ([item["id"] for item in second["items"]], second["next_cursor"]) == (ids[:1], None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"policies": []}, "at least 1 item"),
        ({"policies": ["best", "best"]}, "the same policy is named twice"),
        ({"policies": ["luckiest"]}, "'best', 'first'"),
        ({"did_blocks": []}, "at least 1 item"),
        ({"did_blocks": [16, 16]}, "the same DID is named twice"),
        ({"did_blocks": [2**20 + 1]}, "must be 1,048,576 or less"),
        ({"did_blocks": [16, 512], "dnor_blocks": 17}, "DNOR, 17 blocks, is more than the least DID, 16"),
        ({"usable_bytes": 4096}, "must be 1.00 MiB or more"),
        ({"usable_bytes": 2**40}, "must be 16.0 GiB or less"),
        ({"operations_count": 0}, "must be 1 or more"),
        ({"operations_count": 10**7}, "must be 2,000,000 or less"),
        ({"seeds_count": 101}, "must be 100 or less"),
        ({"fullnesses": [0.5]}, "there is no such field"),
        ({"kind": "speed"}, "'capacity', 'cleaning'"),
        (
            {"policies": list(PLACEMENTS), "did_blocks": list(range(16, 32)), "seeds_count": 80},
            f"10240 results, and a study has {MOST_RESULTS_COUNT} at most",
        ),
    ],
)
def test_settings_of_capacity_that_cannot_be_are_refused(
    client: TestClient, host_id: int, changes: dict[str, object], said: str
) -> None:
    assert said in refusal(client, capacity_body(**changes))
    assert client.get("/api/v1/studies").json()["items"] == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"policies": [], "cleaners": []}, "name a policy or a cleaner"),
        ({"cleaners": ["oldest", "oldest"]}, "the same cleaner is named twice"),
        ({"fullnesses": [0.5, 0.5]}, "the same fullness is named twice"),
        ({"fullnesses": []}, "at least 1 item"),
        ({"fullnesses": [1.5]}, "must be 1.0 or less"),
        ({"fullnesses": [0]}, "must be 0.01 or more"),
        ({"band_bytes": 32 * 2**20}, "no place for two bands"),
        ({"times": 0}, "must be more than 0.0"),
        ({"times": 101}, "must be 100.0 or less"),
        ({"size_bytes": 16 * 2**30, "times": 20}, "size by times is more than 256 GiB"),
        ({"usable_bytes": 2**30}, "there is no such field"),
    ],
)
def test_settings_of_cleaning_that_cannot_be_are_refused(
    client: TestClient, host_id: int, changes: dict[str, object], said: str
) -> None:
    assert said in refusal(client, cleaning_body(**changes))


def test_two_bands_and_their_gap_are_enough(client: TestClient, host_id: int) -> None:
    started(client, cleaning_body(size_bytes=64 * 2**20 + 16 * 4096, band_bytes=32 * 2**20))


def test_a_host_that_is_not_there_is_refused(client: TestClient, host_id: int) -> None:
    answer = client.post("/api/v1/studies", json=capacity_body() | {"host_name": "elsewhere"})
    assert (answer.status_code, answer.json()["code"]) == (409, "host_unknown")


def test_a_study_that_is_not_there(client: TestClient, host_id: int) -> None:
    for path in ("/studies/99", "/studies/99/export?format=csv"):
        answer = client.get(f"/api/v1{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "job_unknown")
        assert answer.json()["detail"] == "There is no study 99."


def test_figures_are_means_over_seeds_with_students_interval(client: TestClient, host_id: int) -> None:
    study_id = started(client, capacity_body())["id"]
    totals = [1100, 1200, 1250]
    found(study_id, 0, *(capacity_summary(total_blocks=total, unusable_blocks=60) for total in totals))
    found(study_id, 2, capacity_summary(did_blocks=512))
    study = client.get(f"/api/v1/studies/{study_id}").json()
    assert (study["done_count"], [cell["results_count"] for cell in study["cells"]]) == (4, [3, 0, 1, 0])
    first, second, third, _ = study["cells"]
    low, high = scipy.stats.t.interval(0.95, len(totals) - 1, loc=sum(totals) / 3, scale=scipy.stats.sem(totals))
    assert first["figures"]["total_blocks"] == pytest.approx({"mean": sum(totals) / 3, "half_width": (high - low) / 2})
    over = first["figures"]["over_allocation_fraction"]
    assert over == pytest.approx({"mean": sum(totals) / 3 / 1024 - 1, "half_width": (high - low) / 2 / 1024})
    share = sum(60 / total for total in totals) / 3
    assert first["figures"]["unusable_fraction"]["mean"] == pytest.approx(share)
    assert second["figures"] == {}
    assert third["figures"]["total_blocks"] == {"mean": 1200, "half_width": None}
    assert [cell["full_count"] for cell in study["cells"]] == [None] * 4
    assert [item["done_count"] for item in client.get("/api/v1/studies").json()["items"]] == [4]


def test_figures_of_cleaning_are_ratios_and_how_often_no_place_was_left(client: TestClient, host_id: int) -> None:
    study_id = started(client, cleaning_body())["id"]
    caveat = {"interface": "caveat", "policy": "next", "moved_blocks": 0, "cleanings_count": 0}
    found(study_id, 0, cleaning_summary(**caveat, is_full=True, written_blocks=1500), cleaning_summary(**caveat))
    found(study_id, 1, cleaning_summary(), cleaning_summary(moved_blocks=1500, written_blocks=1000))
    placed, cleaned = client.get(f"/api/v1/studies/{study_id}").json()["cells"]
    assert (placed["full_count"], cleaned["full_count"]) == (1, 0)
    assert placed["figures"]["written_ratio"]["mean"] == 1.75
    assert placed["figures"]["moved_ratio"] == {"mean": 0, "half_width": 0}
    assert cleaned["figures"]["moved_ratio"]["mean"] == (0.25 + 1.5) / 2
    assert cleaned["figures"]["cleanings_count"]["mean"] == 7


def test_a_disk_to_which_nothing_was_written_moved_nothing(client: TestClient, host_id: int) -> None:
    study_id = started(client, cleaning_body())["id"]
    found(study_id, 1, cleaning_summary(written_blocks=0, moved_blocks=0, is_full=True))
    assert client.get(f"/api/v1/studies/{study_id}").json()["cells"][1]["figures"]["moved_ratio"]["mean"] == 0


def test_the_published_values_stand_beside_studies_of_their_settings_alone(client: TestClient, host_id: int) -> None:
    published = {plan.name: plan.settings.model_dump(mode="json") for plan in PLANS}
    cells = started(client, {"settings": published["capacity"]})["cells"]
    assert all(cell["published"] is not None for cell in cells)
    assert cells[0]["published"] == {
        "total_blocks": 272_642,
        "unusable_blocks": 8_287,
        "over_allocation_fraction": pytest.approx(0.04, abs=1e-4),
        "unusable_fraction": pytest.approx(0.0304, abs=1e-4),
    }
    further = started(client, {"settings": published["capacity-more"]})["cells"]
    assert [cell["published"] is not None for cell in further] == [True, False, False, False] * 2
    assert [cell["published"] for cell in started(client, capacity_body())["cells"]] == [None] * 4
    assert [cell["published"] for cell in started(client, {"settings": published["cleaning"]})["cells"]] == [None] * 42


def test_the_published_values_are_those_of_the_document() -> None:
    from patina.study.published import _CAPACITY

    text = (PROJECT_DIR / "docs" / "studies" / "shingled.md").read_text(encoding="utf-8")
    numbers = text.replace(" ", "")
    for (policy, did), row in _CAPACITY.items():
        section = numbers.split(f"DID{did}:")[1]
        assert f"|{policy.removesuffix('-fit')}fit|{row.total_blocks}|" in section, (policy, did)
        assert f"|{row.unusable_blocks}|" in section, (policy, did)


def test_each_ready_made_plan_can_be_started(client: TestClient, host_id: int) -> None:
    for plan in described()["plans"]:
        study = started(client, {"settings": plan["settings"], "name": plan["title"]})
        assert study["settings"] == plan["settings"]
    assert [len(plan.settings.cells()) for plan in PLANS] == [10, 8, 42, 49]


def test_the_policies_are_those_of_the_core() -> None:
    for file, table, names in (
        ("shingled_space.h", "kPlacementPolicies", PLACEMENTS),
        ("banded_space.h", "kCleaningPolicies", CLEANERS),
    ):
        text = (PROJECT_DIR / "native" / "src" / "shingle" / file).read_text(encoding="utf-8")
        rows = text.split(f"{table}[] = {{")[1].split("};")[0]
        assert tuple(rows.split('"')[1::2]) == names


def test_csv_has_a_row_for_each_result_with_every_digit(client: TestClient, host_id: int) -> None:
    study_id = started(client, cleaning_body())["id"]
    answer = client.get(f"/api/v1/studies/{study_id}/export", params={"format": "csv"})
    assert answer.text == "interface,policy,did_blocks,fullness,seed\n"
    found(study_id, 1, cleaning_summary(written_blocks=3000, moved_blocks=1000), cleaning_summary(is_full=True))
    answer = client.get(f"/api/v1/studies/{study_id}/export", params={"format": "csv"})
    assert answer.headers["content-disposition"] == f'attachment; filename="study-{study_id}.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["interface"], row["policy"], row["fullness"], row["seed"]) for row in rows] == [
        ("strict-append", "greedy", "0.5", "1"),
        ("strict-append", "greedy", "0.5", "2"),
    ]
    assert [(float(row["moved_ratio"]), row["moved_blocks"], row["is_full"]) for row in rows] == [
        (1 / 3, "1000", "false"),
        (0.25, "500", "true"),
    ]


def test_json_is_the_study_and_its_results(client: TestClient, host_id: int) -> None:
    study_id = started(client, capacity_body())["id"]
    found(study_id, 0, capacity_summary())
    document = json.loads(client.get(f"/api/v1/studies/{study_id}/export", params={"format": "json"}).text)
    assert (document["type"], document["schema_version"]) == ("patina_study", 1)
    assert document["study"] == client.get(f"/api/v1/studies/{study_id}").json()
    [result] = document["results"]
    assert (result["policy"], result["seed"], result["unusable_fraction"]) == ("best", 1, 0.05)
    for query in ({}, {"format": "latex"}):
        refused = client.get(f"/api/v1/studies/{study_id}/export", params=query)
        assert (refused.status_code, refused.json()["code"]) == (422, "request_invalid")


def test_a_study_is_stopped_and_goes_on_by_the_routes_of_jobs(client: TestClient, host_id: int) -> None:
    study_id = started(client, capacity_body())["id"]
    assert client.post(f"/api/v1/jobs/{study_id}/stop").json()["state"] == "canceled"
    found(study_id, 0, capacity_summary())
    with transaction() as session:
        session.execute(update(Job).where(Job.id == study_id).values(resumes_left_count=0))
    assert client.post(f"/api/v1/jobs/{study_id}/retry").json()["state"] == "queued"
    again = client.get(f"/api/v1/studies/{study_id}").json()
    assert (again["done_count"], again["resumes_left_count"]) == (1, 3)
    with transaction() as session:
        study = session.get_one(Study, study_id)
        assert study.state == JobState.QUEUED
