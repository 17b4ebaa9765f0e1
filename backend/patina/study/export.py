"""Exports a study as a file: CSV with a row for each result, JSON with everything."""

import csv
import io
import json
from typing import Any, Literal

from sqlalchemy.orm import Session

from patina.profile.export import ExportedFile
from patina.study import results, service
from patina.study.models import Study

StudyExportFormat = Literal["csv", "json"]
MEDIA_TYPES: dict[StudyExportFormat, str] = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
SCHEMA_VERSION = 1
_OF_CELL = ("interface", "policy", "did_blocks", "fullness")


def export_study(*, session: Session, study: Study, format: StudyExportFormat) -> ExportedFile:
    """Returns the study as a file."""
    rows = _rows(session, study)
    content = _csv_text(rows) if format == "csv" else _json_text(session, study, rows)
    return ExportedFile(f"study-{study.id}.{format}", content.encode())


def _rows(session: Session, study: Study) -> list[dict[str, Any]]:
    """Returns each result with its cell, its figures and the core's own counts."""
    settings = service.settings_of(study)
    cells = settings.cells()
    found = []
    for row in results.rows_of(session=session, study_id=study.id):
        summary = results.summary_of(row.summary, settings)
        counts = summary.model_dump(mode="json", exclude={"type", "command"})
        cell = {name: getattr(cells[row.cell], name) for name in _OF_CELL}
        found.append(cell | {"seed": row.seed} | results.figures_of(summary, settings) | counts)
    return found


def _csv_text(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    names = list(rows[0]) if rows else [*_OF_CELL, "seed"]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """Returns a truth value as JSON has it."""
    return json.dumps(value) if isinstance(value, bool) else value


def _json_text(session: Session, study: Study, rows: list[dict[str, Any]]) -> str:
    document = {
        "type": "patina_study",
        "schema_version": SCHEMA_VERSION,
        "study": service.read(session=session, study=study).model_dump(mode="json"),
        "results": rows,
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
