"""The settings of a run are defined once: one more setting appears in all its uses."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi.testclient import TestClient
from pydantic import Field
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from patina.db import transaction
from patina.migrate import migrate
from patina.run import settings as run_settings
from patina.run.checks import checks
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.schemas import RunCreate, RunItem, RunRead, RunRequest
from patina.run.settings import AgeRequest, CoreSettings, RunSettings
from patina.settings import PROJECT_DIR
from run_requests import run_body
from run_rows import stored_run

DeviceFactory = Callable[..., int]


def _with_one_more() -> type[CoreSettings]:
    class More(CoreSettings):
        reuse_share: Annotated[float, Field(ge=0, le=0.5, description="Of a test")] | None = None

    return More


def test_one_more_setting_is_in_every_class_of_settings() -> None:
    """Each class is a subclass of the shared one, so all of them have its settings."""
    for made_of in (RunSettings, RunCreate, RunRequest, RunRead, RunItem, Recipe, AgeRequest):
        assert issubclass(made_of, CoreSettings)
        assert CoreSettings.model_fields.keys() <= made_of.model_fields.keys()
    schema = _with_one_more().model_json_schema()["properties"]["reuse_share"]
    assert schema["anyOf"][0]["maximum"] == 0.5


def test_one_more_setting_has_its_range_in_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_settings, "RunSettings", _with_one_more())
    found = {str(check.name): str(check.sqltext) for check in checks()}
    assert found["setting_reuse_share"] == (
        "(settings ->> 'reuse_share')::numeric >= 0 AND (settings ->> 'reuse_share')::numeric <= 0.5"
    )


def test_the_document_of_the_api_and_the_cores_contract_say_the_same_ranges(client: TestClient) -> None:
    document = client.get("/api/openapi.json").json()["components"]["schemas"]
    contract = json.loads((PROJECT_DIR / "native" / "contract" / "age_request.json").read_text(encoding="utf-8"))
    for name in CoreSettings.model_fields:
        of_core = _range_of(contract["properties"][name])
        for schema in ("RunCreate", "BatchCreate"):
            assert _range_of(document[schema]["properties"][name]) == of_core, (schema, name)
        for schema in ("RunRead", "RunItem", "Recipe"):
            assert name in document[schema]["properties"]


def _range_of(field: dict[str, Any]) -> dict[str, Any]:
    values = field.get("anyOf", [field])[0]
    return {key: values[key] for key in values if key.endswith(("imum", "Imum")) or key in ("enum", "type")}


def test_the_settings_of_a_run_are_in_its_row_its_request_and_every_answer(
    client: TestClient, make_device: DeviceFactory
) -> None:
    asked: dict[str, Any] = {
        "mode": "unbounded",
        "data_mode": "write",
        "threads_count": 3,
        "max_rmse": 0.25,
        "file_system": "ext4",
    }
    run = client.post("/api/v1/runs", json=run_body(make_device(), **asked)).json()
    listed = client.get("/api/v1/runs").json()["items"][0]
    with transaction() as session:
        row = session.get_one(Run, run["id"])
        stored, request = row.settings, row.request
    for name, value in asked.items():
        assert (run[name], listed[name], stored[name], request[name]) == (value,) * 4, name
    assert stored["seed"] == run["seed"] == listed["seed"]
    assert stored["profile_version_number"] == 1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fullness", (0.0099, 0.951)),
        ("max_rmse", (0, 1.001)),
        ("max_overwrites", (0,)),
        ("max_seconds", (0, 100_000_001)),
        ("threads_count", (0, 65)),
        ("seed", (-1, 2**53)),
        ("mode", ("quick", "")),
        ("data_mode", ("full",)),
        ("fullness_of", ("inodes",)),
        ("file_system", ("ntfs",)),
        ("capture_mode", ("all",)),
        ("exact_ops_count", (0, 10**12 + 1)),
        ("added_mkfs_options", ("-d /etc", "-i 1;", "1" * 201)),
        ("added_mount_options", ("journal_path=/dev/sdb",)),
    ],
)
def test_what_is_out_of_range_is_in_no_row(make_device: DeviceFactory, name: str, values: tuple[object, ...]) -> None:
    with transaction() as session:
        run = stored_run(session=session, device_id=make_device())
        for value in values:
            changed = run.settings | {name: value}
            with pytest.raises(IntegrityError, match=f"ck_run_setting_{name}"), session.begin_nested():
                session.execute(update(Run).where(Run.id == run.id).values(settings=changed))


def test_a_run_that_is_older_than_a_setting_has_its_default(client: TestClient, make_device: DeviceFactory) -> None:
    with transaction() as session:
        run = stored_run(session=session, device_id=make_device(), fullness=0.5)
        run.settings = {name: value for name, value in run.settings.items() if name not in ("keeps_log", "workload")}
        run_id = run.id
    migrate()
    (listed,) = client.get("/api/v1/runs").json()["items"]
    assert (listed["keeps_log"], listed["workload"], listed["fullness"]) == (False, None, 0.5)
    assert listed.keys() == RunItem.model_fields.keys()
    read = client.get(f"/api/v1/runs/{run_id}").json()
    assert all(read[name] == listed[name] for name in RunSettings.model_fields)
