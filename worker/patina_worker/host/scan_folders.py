"""The scan folders of this host: of its settings and of its file, checked with links resolved."""

import os

import structlog

from patina.scan.service import require_allowed
from patina.settings import settings
from patina_worker.host import scan_folder_file
from patina_worker.host.scan_folder_file import FileUntrusted

log = structlog.get_logger()


def folders() -> list[str]:
    """Returns the folders that may be scanned now. A file that other accounts than root can change is left out."""
    own = settings().scan_folders_list
    try:
        return list(dict.fromkeys([*own, *scan_folder_file.read(settings().state_dir)]))
    except FileUntrusted as error:
        log.warning("the file of scan folders is not trusted", reason=str(error))
        return own


def allowed(directory: str, *, what: str = "scans of") -> str:
    """Returns the directory with its links resolved, if a scan folder contains it. `what`: the use, for the error.
    Raises ScanNotAllowed."""
    resolved = [os.path.realpath(folder) for folder in folders()]
    place = os.path.realpath(directory)
    return require_allowed(directory=place, folders=resolved, host_name=settings().host_name, what=what)
