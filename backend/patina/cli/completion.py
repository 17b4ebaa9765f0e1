"""Values that the shell completes: names of devices, images and profiles of the server, states, file systems."""

from patina.cli.client import Client, Refused
from patina.file_system.table import FileSystem
from patina.job.state import JobState


def _of_server(path: str, member: str, incomplete: str) -> list[str]:
    """Returns the values of a list of the server that begin so; none where the server does not answer."""
    try:
        items = Client().call("GET", path)["items"]
    except Refused:
        return []
    return [str(item[member]) for item in items if item[member] and str(item[member]).startswith(incomplete)]


def devices(incomplete: str) -> list[str]:
    """Returns paths and names of devices that begin so."""
    return [*_of_server("/devices", "path", incomplete), *_of_server("/devices", "name", incomplete)]


def images(incomplete: str) -> list[str]:
    """Returns names of images that begin so, the newest first."""
    return _of_server("/images", "name", incomplete)


def profiles(incomplete: str) -> list[str]:
    """Returns names of profiles that begin so."""
    return _of_server("/profiles", "name", incomplete)


def disk_models(incomplete: str) -> list[str]:
    """Returns names of disk models that begin so."""
    return _of_server("/disk-models", "name", incomplete)


def states(incomplete: str) -> list[str]:
    """Returns states of jobs that begin so."""
    return [state for state in JobState if state.startswith(incomplete)]


def file_systems(incomplete: str) -> list[str]:
    """Returns names of file systems that begin so."""
    return [name for name in FileSystem if name.startswith(incomplete)]
