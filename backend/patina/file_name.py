"""Names of files stored in rows. The API's account writes the rows; the worker opens the files as root."""

import re
from pathlib import Path

from sqlalchemy import CheckConstraint

from patina.errors import PatinaError

# One component of a path: no separator, no leading dot, at most 255 characters.
PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$"


FileNameRefused = PatinaError.of("file_name_refused", "Name of a file refused", status=500)


def file_below(folder: Path, name: str) -> Path:
    """Returns the path of `name` in `folder`. Raises FileNameRefused for a name that could lead elsewhere."""
    if re.fullmatch(PATTERN.strip("^$"), name) is None:
        raise FileNameRefused(
            f"{name!r} is not a name of a file in {folder}: at most 255 letters, digits, '.', '_' and '-', not "
            "beginning with a mark. Patina makes no such name: does another program write to its database?"
        )
    return folder / name


def is_file_name(column: str) -> CheckConstraint:
    """Returns the constraint that refuses other names in a column."""
    return CheckConstraint(f"{column} ~ '{PATTERN}'", name=f"{column}_is_file_name")
