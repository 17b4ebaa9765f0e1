"""Exports a trial as a file: CSV and JSON with every digit of a measurement, a table for LaTeX."""

import csv
import io
import json
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, get_args

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina.profile.export import ExportedFile
from patina.trial import service
from patina.trial.latex import latex_table
from patina.trial.measurement import Measurement
from patina.trial.models import Trial
from patina.trial.results import as_measured
from patina.trial.schemas import RepetitionMeasured, TrialRead
from patina.trial.workload import ROWS

TrialExportFormat = Literal["csv", "json", "latex"]
MEDIA_TYPES: dict[TrialExportFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "latex": "application/x-latex",
}
ENDINGS: dict[TrialExportFormat, str] = {"csv": "csv", "json": "json", "latex": "tex"}
SCHEMA_VERSION = 1
_OF_ROW = ("position", "number", "state", "image", "started_at", "finished_at", "error_code", "error_message")
_OF_SETTINGS = ("group", "arm_state", "is_base", "workload", "kind", "metric", "modelled_disk")


def export_trial(*, session: Session, trial: Trial, format: TrialExportFormat) -> ExportedFile:
    """Returns the trial as a file."""
    read = service.read(session=session, trial=trial)
    if format == "latex":
        content = latex_table(read)
    else:
        measured = service.measured(session=session, trial_id=trial.id)
        content = json_text(read, measured) if format == "json" else csv_text(read, measured)
    return ExportedFile(f"trial-{trial.id}.{ENDINGS[format]}", content.encode())


def json_text(trial: TrialRead, measured: list[RepetitionMeasured]) -> str:
    """Returns the trial and all its repetitions, whole."""
    document = {
        "type": "patina_trial",
        "schema_version": SCHEMA_VERSION,
        "trial": trial.model_dump(mode="json"),
        "measurements": [_as_measured(each) for each in measured],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _as_measured(each: RepetitionMeasured) -> dict[str, Any]:
    """Returns the repetition, with its measurement as it was stored: the digest of the result is that of these."""
    document = each.model_dump(mode="json")
    return document | {"measurement": each.measurement and as_measured(each.measurement)}


def csv_text(trial: TrialRead, measured: list[RepetitionMeasured]) -> str:
    """Returns a heading, and a row for each repetition with the scalar figures of its measurement."""
    settings, emulation = trial.settings, trial.device.emulation
    further = sorted({name for each in measured if each.measurement for name in each.measurement.figures})
    of_measurement = list(_scalars(Measurement))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_OF_ROW, *_OF_SETTINGS, *map("_".join, of_measurement), *(f"figures_{name}" for name in further)])
    for each in measured:
        arm, workload = settings.arms[each.arm], settings.workloads[each.workload]
        metric = ROWS[workload.kind].metric
        figures = each.measurement.figures if each.measurement else {}
        values = [
            *({**dict(each), "image": each.image and each.image.name}[name] for name in _OF_ROW),
            *(arm.group, arm.state, arm.is_base, workload.label, workload.kind, metric),
            None if emulation is None else emulation.model_label,
            *(_at(each.measurement, path) for path in of_measurement),
            *(figures.get(name) for name in further),
        ]
        writer.writerow([_cell(value) for value in values])
    return text.getvalue()


def _scalars(model: type[BaseModel], *before: str) -> Iterator[tuple[str, ...]]:
    """Yields the path of each number, text and truth value of a model, through its models."""
    for name, field in model.model_fields.items():
        kind = _without_null(field.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _scalars(kind, *before, name)
        elif kind in (int, float, str, bool):
            yield (*before, name)


def _without_null(annotation: Any) -> Any:
    """Returns `kind` of `kind | None`."""
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return kinds[0] if isinstance(annotation, UnionType) and len(kinds) == 1 else annotation


def _at(model: BaseModel | None, path: tuple[str, ...]) -> object:
    found: object = model
    for name in path:
        found = None if found is None else getattr(found, name)
    return found


def _cell(value: object) -> object:
    """Returns the value as text; a number with all its digits."""
    return json.dumps(value) if isinstance(value, bool) else value
