"""The scan folders of this host, checked with links resolved."""

import os

from patina.scan.service import require_allowed
from patina.settings import settings


def allowed(directory: str, *, what: str = "scans of") -> str:
    """Returns the directory with its links resolved, if a scan folder contains it. `what`: the use, for the error.
    Raises ScanNotAllowed."""
    folders = [os.path.realpath(folder) for folder in settings().scan_folders_list]
    place = os.path.realpath(directory)
    return require_allowed(directory=place, folders=folders, host_name=settings().host_name, what=what)
