"""Exports of trials: every figure of a repetition in CSV and JSON, a table for LaTeX."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from patina.db import transaction
from patina.device.emulation import Emulation
from patina.trial.latex import escaped
from patina.trial.models import Repetition, RepetitionState, Trial
from patina.trial.workload import ROWS, UNITS
from patina_dev.testing.property import property_cases
from trial_rows import make_image, measured, trial_body

Factory = Callable[..., int]
ODD = 0.1 + 0.2  # 0.30000000000000004


@pytest.fixture
def trial_id(client: TestClient, make_device: Factory, publish_image: Factory) -> int:
    """Returns a trial of two groups, with four measurements of find, and a failure."""
    image_id = make_image(publish_image)
    arms = [{"image_id": image_id, "group": group, "state": "100% & old"} for group in ("ext4", "my_fs #2")]
    workloads = [{"kind": "find"}, {"kind": "fio", "name": 'a_b, "c"', "job": "[read]\nrw=read"}]
    body = trial_body(make_device(), arms=arms, workloads=workloads, name="50% {of} it")
    identity: int = client.post("/api/v1/trials", json=body).json()["id"]
    measured(identity, 0, 0, [ODD, 1 / 3, 1e-9], amplification=ODD)
    measured(identity, 1, 0, [12345.678])
    with transaction() as session:
        row = session.query(Repetition).filter_by(trial_id=identity, arm=1, workload=1, number=1).one()
        row.state, row.error_code, row.error_message = RepetitionState.FAILED, "workload_failed", "fio failed,\nbadly"
    return identity


def exported(client: TestClient, trial_id: int, format_: str) -> str:
    answer = client.get(f"/api/v1/trials/{trial_id}/export", params={"format": format_})
    assert answer.status_code == 200, answer.text
    ending = {"csv": "csv", "json": "json", "latex": "tex"}[format_]
    assert answer.headers["Content-Disposition"] == f'attachment; filename="trial-{trial_id}.{ending}"'
    return answer.content.decode()


def test_csv_has_every_scalar_figure_of_every_repetition(client: TestClient, trial_id: int) -> None:
    text = exported(client, trial_id, "csv")
    heading, *_ = csv.reader(io.StringIO(text))
    assert len(heading) == len(set(heading))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["position"]) for row in rows] == list(range(12))
    done = {(row["group"], int(row["number"])): row for row in rows if row["state"] == "done"}
    assert {pair: float(row["value"]) for pair, row in done.items()} == {
        ("ext4", 1): ODD,
        ("ext4", 2): 1 / 3,
        ("ext4", 3): 1e-9,
        ("my_fs #2", 1): 12345.678,
    }
    first = done["ext4", 1]
    assert (first["workload"], first["kind"], first["metric"], first["image"]) == ("find", "find", "seconds", "aged")
    assert (first["restoration_how"], first["device_written_bytes"], first["background_is_quiet"]) == (
        "restore", "7", "true",
    )  # fmt: skip
    assert (float(first["write_amplification"]), first["figures_used_bytes"]) == (ODD, "8192.0")
    assert (first["allocated_written_bytes"], first["traced_touched_bytes"]) == ("", "")
    failed = next(row for row in rows if row["state"] == "failed")
    assert (failed["workload"], failed["error_message"], failed["value"]) == ('a_b, "c"', "fio failed,\nbadly", "")


def test_predicted_times_are_exported_beside_the_measured_values(client: TestClient, trial_id: int) -> None:
    measured(trial_id, 0, 0, [1.0, 2.0], predicted_s=4320.0)
    label = "4 × Disk_1, RAID-5"
    with transaction() as session:
        device = session.get_one(Trial, trial_id).device
        device.emulation = Emulation(available_bytes=2**30, model="d", model_label=label).model_dump(mode="json")
    rows = list(csv.DictReader(io.StringIO(exported(client, trial_id, "csv"))))
    names = ("device_elapsed_s", "device_predicted_s")
    found = {(row["group"], row["number"]): tuple(row[name] for name in names) for row in rows if row["kind"] == "find"}
    assert found["ext4", "2"] == ("41.0", "4320.0")
    assert found["my_fs #2", "1"] == ("41.0", "")
    assert {row["modelled_disk"] for row in rows} == {label}
    lines = exported(client, trial_id, "latex").splitlines()
    assert any(line.endswith(r" Predicted: on 4 \texttimes{} Disk\_1, RAID-5.}") for line in lines)
    assert [line for line in lines if line.endswith(r"\\")] == [
        r" &  & find & find & a\_b, \textquotedbl{}c\textquotedbl{} \\",
        r"group & state & s & predicted s & bytes/s \\",
        r"ext4 & 100\% \& old & $1.0 \pm 2.5$ (1) & $4\,320 \pm 0$ & -- \\",
        r"my\_fs \#2 & 100\% \& old & $12\,346$ (2) & -- & -- \\",
    ]


def test_json_is_the_trial_and_its_measurements(client: TestClient, trial_id: int) -> None:
    document = json.loads(exported(client, trial_id, "json"))
    assert (document["type"], document["schema_version"]) == ("patina_trial", 1)
    assert document["trial"] == client.get(f"/api/v1/trials/{trial_id}").json()
    of_api = client.get(f"/api/v1/trials/{trial_id}/measurements").json()["items"]
    for exported_row, row in zip(document["measurements"], of_api, strict=True):
        measurement = exported_row["measurement"]
        assert exported_row | {"measurement": None} == row | {"measurement": None}
        # As it was stored: fields that later versions added are not in it.
        assert measurement is None or row["measurement"].items() >= measurement.items()
    assert ODD in [each["measurement"] and each["measurement"]["value"] for each in document["measurements"]]


def test_latex_is_a_table_of_means_and_ranks(client: TestClient, trial_id: int) -> None:
    lines = exported(client, trial_id, "latex").splitlines()
    assert [line for line in lines if line.endswith(r"\\")] == [
        r" &  & find & a\_b, \textquotedbl{}c\textquotedbl{} \\",
        r"group & state & s & bytes/s \\",
        r"ext4 & 100\% \& old & $0.21 \pm 0.46$ (1) & -- \\",
        r"my\_fs \#2 & 100\% \& old & $12\,346$ (2) & -- \\",
    ]
    assert any(rf"\caption{{Trial {trial_id}: 50\% \{{of\}} it. Mean" in line for line in lines)
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]


@settings(max_examples=property_cases(100))
@given(st.text())
def test_an_escaped_text_has_no_character_that_latex_takes_for_its_own(text: str) -> None:
    left = re.sub(r"\\(text[a-z]+\{\}|[&%$#_{}])", "", escaped(text))
    assert not set(left) & set('\\&%$#_{}~^<>|"\n\r\x00')


def test_every_metric_has_a_unit() -> None:
    assert UNITS.keys() == {row.metric for row in ROWS.values()}


@pytest.mark.parametrize("format_", ["csv", "json", "latex"])
def test_a_trial_without_measurements_is_exported_too(
    client: TestClient, make_device: Factory, publish_image: Factory, format_: str
) -> None:
    body: dict[str, Any] = trial_body(make_device(), make_image(publish_image))
    assert exported(client, client.post("/api/v1/trials", json=body).json()["id"], format_)


def test_an_unknown_trial_or_format_is_refused(client: TestClient, trial_id: int) -> None:
    unknown = client.get("/api/v1/trials/999/export", params={"format": "csv"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "job_unknown")
    for query in ({}, {"format": "xml"}):
        answer = client.get(f"/api/v1/trials/{trial_id}/export", params=query)
        assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
