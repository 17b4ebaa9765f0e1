"""Reads files into one profile: detects formats, collects rows and messages."""

from collections import Counter
from collections.abc import Sequence

from patina.profile.digest import profile_digest
from patina.profile.histogram import AgeBin, DepthBin, HistogramName, Histograms, ProfileInvalid, SizeBin
from patina.profile_import import archive
from patina.profile_import.draft import Draft
from patina.profile_import.geriatrix import histogram_of, read_geriatrix
from patina.profile_import.patina_json import read_patina
from patina.profile_import.refusal import FileNotUnderstood, HistogramUnnamed
from patina.profile_import.schemas import ProfileReading, ReadHistograms, ReadingFormat
from patina.profile_import.source import SourceFile, SourceText, text_of
from patina.profile_import.table import Table, histogram_of_columns, read_table, table_of


def read_files(*, files: Sequence[SourceFile], histogram: HistogramName | None) -> ProfileReading:
    """Reads the files, row by row. `histogram` is that of columns that do not name it. Raises FileNotUnderstood when no
    file is a profile, HistogramUnnamed when the only file has such columns, ArchiveRefused."""
    draft = Draft()
    found: dict[str, ReadingFormat] = {}
    unpacked = _unpacked(files)
    for file in unpacked:
        try:
            format_ = _read(draft, text_of(file), histogram, set(found.values()))
        except FileNotUnderstood as error:
            if isinstance(error, HistogramUnnamed) and len(unpacked) == 1:
                raise
            draft.say(file.name, None, error.message)
        else:
            found[file.name] = format_
    if not found:
        raise FileNotUnderstood(" ".join(p.message for p in draft.problems[:5]) or "No file was sent.")
    histograms = draft.histograms()
    return ProfileReading(
        format=next(iter(found.values())),
        title=draft.title,
        description=draft.description,
        source=draft.source,
        rows=draft.rows,
        digest=_digest(draft, histograms, next(iter(found))),
        problems=draft.problems,
        histograms=histograms,
    )


def _unpacked(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Returns the files, each under a unique name, by which its rows are reported."""
    unpacked: list[SourceFile] = []
    for file in files:
        unpacked += archive.unpack(file) if archive.is_zip(file.content) else [file]
    seen: Counter[str] = Counter()
    named: list[SourceFile] = []
    for file in unpacked:
        seen[file.name] += 1
        count = seen[file.name]
        named.append(file if count == 1 else SourceFile(f"{file.name} ({count})", file.content))
    return named


def _read(
    draft: Draft, source: SourceText, histogram: HistogramName | None, before: set[ReadingFormat]
) -> ReadingFormat:
    """Reads a file into the draft. Raises FileNotUnderstood for an unknown format, or mixed formats."""
    format_, geriatrix, table = _recognized(source)
    if before and format_ not in before:
        raise FileNotUnderstood(
            f"{source.name} is of another format ({format_}) than the file before it ({before.pop()}). Give it alone."
        )
    if format_ == "patina":
        read_patina(draft, source)
    elif geriatrix is not None:
        read_geriatrix(draft, source, geriatrix)
    elif table is not None:
        _read_table(draft, table, histogram)
    return format_


def _recognized(source: SourceText) -> tuple[ReadingFormat, HistogramName | None, Table | None]:
    text = source.text.lstrip()
    if text.startswith("{"):
        return "patina", None, None
    geriatrix = histogram_of(source)
    if geriatrix is not None:
        return "geriatrix", geriatrix, None
    table = table_of(source)
    if table is None or text.startswith("["):
        raise FileNotUnderstood(
            f"{source.name} is no profile: neither Patina's JSON, nor a text of Geriatrix's (size_distribution.txt, "
            "dir_distribution.txt, age_distribution.txt), nor CSV with the heading histogram,edge,weight,subdirs, nor "
            "columns of numbers."
        )
    return ("csv" if table.names_histograms else "columns"), None, table


def _read_table(draft: Draft, table: Table, histogram: HistogramName | None) -> None:
    if table.names_histograms:
        read_table(draft, table, None)
        return
    chosen = histogram or histogram_of_columns(table)
    if chosen is None:
        raise HistogramUnnamed(
            f"{table.source.name} has columns of numbers, which may be sizes, depths or ages. "
            "Say which of the histograms they are."
        )
    read_table(draft, table, chosen)


def _digest(draft: Draft, histograms: ReadHistograms, file: str) -> str | None:
    """Returns the digest of a complete profile; reports why the bins are not one."""
    columns: dict[str, Sequence[SizeBin | DepthBin | AgeBin]] = {
        "size": histograms.size,
        "depth": histograms.depth,
        "age": histograms.age,
    }
    for name, bins in columns.items():
        if bins and not any(b.weight > 0 for b in bins):
            draft.say(file, None, f"Every weight of the {name} histogram is 0. Give at least one bin a weight.")
            return None
    if not all(columns.values()):
        return None
    try:
        return profile_digest(Histograms.model_validate(histograms.model_dump()).model_dump(mode="json"))
    except ProfileInvalid as error:
        draft.say(file, None, error.message)
        return None


def pasted(text: str) -> SourceFile:
    """Returns a pasted text as a file."""
    try:
        return SourceFile("pasted", text.encode())
    except UnicodeEncodeError as error:
        raise FileNotUnderstood("The pasted text contains invalid characters. Copy it again.") from error
