"""Exports a version as a file, in three formats. Numbers are written so that reading them yields the same values."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from patina.profile.histogram import HistogramName, Histograms
from patina.profile.models import ProfileVersion

ExportFormat = Literal["patina", "geriatrix", "csv"]
MEDIA_TYPES: dict[ExportFormat, str] = {
    "patina": "application/json",
    "geriatrix": "application/zip",
    "csv": "text/csv; charset=utf-8",
}
SCHEMA_VERSION = 1
CSV_HEADER = ("histogram", "edge", "weight", "subdirs")
GERIATRIX_FILES: dict[HistogramName, str] = {
    "size": "size_distribution.txt",
    "depth": "dir_distribution.txt",
    "age": "age_distribution.txt",
}
# A fixed time, zip's earliest, makes equal versions equal files.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_WHOLE_BELOW = 2**53


@dataclass(frozen=True)
class ExportedFile:
    name: str
    content: bytes


def export_version(*, version: ProfileVersion, format: ExportFormat) -> ExportedFile:
    """Returns the version as a file."""
    histograms = Histograms.model_validate({n: getattr(version, n) for n in Histograms.model_fields})
    stem = f"{version.profile.name}-{version.number}"
    if format == "patina":
        return ExportedFile(f"{stem}.json", patina_json(version, histograms))
    if format == "geriatrix":
        return ExportedFile(f"{stem}.zip", geriatrix_zip(histograms))
    return ExportedFile(f"{stem}.csv", csv_text(histograms))


def patina_json(version: ProfileVersion, histograms: Histograms) -> bytes:
    """Returns a JSON document that patina-core reads, with the profile's other members beside the histograms."""
    profile = version.profile
    facts = {name: getattr(profile, name) for name in ("name", "title", "description", "source", "tags")}
    bins = {
        name: ",\n".join(f"  {json.dumps(bin_, ensure_ascii=False)}" for bin_ in column)
        for name, column in histograms.model_dump(mode="json").items()
    }
    head = json.dumps(
        {"type": "patina_profile", "schema_version": SCHEMA_VERSION} | facts, indent=1, ensure_ascii=False
    )
    body = ",\n".join(f' "{name}": [\n{text}\n ]' for name, text in bins.items())
    return f"{head[:-2]},\n{body}\n}}\n".encode()


def geriatrix_zip(histograms: Histograms) -> bytes:
    """Returns Geriatrix's three texts, zipped: each a count, then as many rows."""
    rows: dict[HistogramName, list[tuple[float, ...]]] = {
        "size": [(b.bytes, b.weight) for b in histograms.size],
        "depth": [(b.depth, b.weight, b.subdirs) for b in histograms.depth],
        "age": [(b.age, b.weight) for b in histograms.age],
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for histogram, file in GERIATRIX_FILES.items():
            lines = [str(len(rows[histogram])), *(" ".join(map(_number, row)) for row in rows[histogram])]
            info = zipfile.ZipInfo(file, _ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, "\n".join(lines) + "\n")
    return packed.getvalue()


def csv_text(histograms: Histograms) -> bytes:
    """Returns a heading, and a row for each bin. `subdirs` is empty except for depths."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    writer.writerows(_csv_rows(histograms))
    return text.getvalue().encode()


def _csv_rows(histograms: Histograms) -> Iterator[tuple[str, ...]]:
    for size in histograms.size:
        yield "size", _number(size.bytes), _number(size.weight), ""
    for depth in histograms.depth:
        yield "depth", _number(depth.depth), _number(depth.weight), _number(depth.subdirs)
    for age in histograms.age:
        yield "age", _number(age.age), _number(age.weight), ""


def _number(value: float) -> str:
    """Returns the shortest text of exactly this number; whole numbers without a fraction."""
    return str(int(value)) if value == int(value) and abs(value) < _WHOLE_BELOW else repr(value)
