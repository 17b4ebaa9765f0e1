"""The command runs on machines without the server's dependencies: its imports, and its wheel."""

import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from patina import __version__
from patina.settings import PROJECT_DIR

ALLOWED = {"httpx2", "pydantic", "rich", "typer"}
# Loaded by `verify --manifest`, and by `image push` and `image fetch`, alone.
ON_DEMAND = {"securesystemslib", "cryptography", "zstandard"}
OF_THE_SERVER = ("alembic", "celery", "fastapi", "obstore", "psycopg", "redis", "sqlalchemy", "starlette", "uvicorn")
LOADED = "import sys, patina.cli.app; print(*(name for name in sys.argv[1:] if name in sys.modules))"
# None in the table of modules: an import fails, as for a module that is not installed.
WITHOUT_SERVER = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
from patina.cli.app import run
run()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the wheel, and returns its unpacked folder."""
    folder = tmp_path_factory.mktemp("wheel")
    uv = Path(sys.executable).with_name("uv")
    argv: list[str | Path] = [uv, "build", "--quiet", "--wheel", "--offline", "--out-dir", folder / "dist", PROJECT_DIR]
    subprocess.run(argv, check=True)
    (built,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_the_command_loads_nothing_of_the_server() -> None:
    argv = [sys.executable, "-c", LOADED, *ALLOWED, *ON_DEMAND, *OF_THE_SERVER]
    assert set(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()) == ALLOWED


def test_the_wheel_requires_what_the_command_loads(wheel: Path) -> None:
    (info,) = wheel.glob("*.dist-info")
    metadata = message_from_bytes((info / "METADATA").read_bytes())
    required = {line.partition(">")[0] for line in metadata.get_all("Requires-Dist", [])}
    assert (metadata["Version"], required) == (__version__, ALLOWED | {"securesystemslib[crypto]", "zstandard"})
    assert "patina = patina.cli.app:run" in (info / "entry_points.txt").read_text()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--version"], 0, f"patina {__version__}"),
        (["migrate"], 1, "runs on the server only"),
        (["devices"], 1, "Nothing"),
        (["verify", "--manifest", "none", "file"], 1, "none cannot be read"),
    ],
)
def test_the_command_of_the_wheel_runs_without_the_server(
    wheel: Path, words: list[str], status: int, said: str
) -> None:
    argv = [sys.executable, "-P", "-c", WITHOUT_SERVER, ",".join(OF_THE_SERVER), *words]
    environment = os.environ | {"PYTHONPATH": str(wheel), "PATINA_URL": "http://127.0.0.1:9"}
    ended = subprocess.run(argv, env=environment, cwd=wheel, capture_output=True, text=True, check=False)
    assert (ended.returncode, said in ended.stdout + ended.stderr) == (status, True), ended.stderr
