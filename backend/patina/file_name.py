"""Names of files that rows give. A row is written by the API's account; the worker opens the file as root."""

import re
from pathlib import Path

from sqlalchemy import CheckConstraint

from patina.errors import PatinaError

# One component of a path: no separator, no leading dot, at most what a file system takes.
PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$"


FileNameRefused = PatinaError.of("file_name_refused", "Name of a file refused", status=500)


def file_below(folder: Path, name: str) -> Path:
    """The file `name` in `folder` itself. FileNameRefused for a name that could lead elsewhere."""
    if re.fullmatch(PATTERN.strip("^$"), name) is None:
        raise FileNameRefused(
            f"{name!r} is not a name of a file in {folder}: at most 255 letters, digits, '.', '_' and '-', not "
            "beginning with a mark. Patina makes no such name: who else writes to its database?"
        )
    return folder / name


def is_file_name(column: str) -> CheckConstraint:
    """The constraint that keeps other names out of a column."""
    return CheckConstraint(f"{column} ~ '{PATTERN}'", name=f"{column}_is_file_name")
