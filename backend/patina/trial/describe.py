"""Describes workloads of `patina-core workload`: those built in, and a user's own text."""

import re
import tempfile
from functools import lru_cache
from pathlib import Path

from patina.core.contract.measured import DESCRIBE, Personality
from patina.core.failure import CoreFailed
from patina.core.supervised import run_core
from patina.errors import PatinaError
from patina.settings import PROJECT_DIR
from patina.trial.schemas import WorkloadDescription

WorkloadInvalid = PatinaError.of("workload_invalid", "The workload cannot be read", status=422)
_FOLDER = PROJECT_DIR / "native" / "personalities"
_COMMENT = re.compile(r"\A(?:#.*\n)+")


def describe(
    *, name: str, spec: str | None = None, fit_bytes: int | None = None, files_count: int | None = None
) -> Personality:
    """Returns the workload as it would be scaled. Raises WorkloadInvalid, with the place of the mistake."""
    argv = ["--describe"]
    if files_count is not None:
        argv += ["--files", str(files_count)]
    elif fit_bytes is not None:
        argv += ["--fit", str(fit_bytes)]
    with tempfile.TemporaryDirectory() as folder:
        if spec is not None:
            file = Path(folder) / "workload.f"
            file.write_text(spec, encoding="utf-8")
            name = str(file)
        try:
            return run_core(DESCRIBE, [*argv, "--spec", name], check=lambda: False)
        except CoreFailed as error:
            raise WorkloadInvalid(error.message) from error


@lru_cache
def built_in() -> tuple[WorkloadDescription, ...]:
    """Returns the workloads that the core has built in."""
    found = []
    for file in sorted(_FOLDER.glob("*.f")):
        text = file.read_text(encoding="utf-8")
        comment = _COMMENT.match(text)
        summary = " ".join(line.lstrip("# ") for line in comment[0].splitlines()) if comment else ""
        found.append(
            WorkloadDescription(name=file.stem, summary=summary, spec=text, personality=describe(name=file.stem))
        )
    return tuple(found)
