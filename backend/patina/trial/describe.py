"""Describes workloads of `patina-core workload`: those built in, and a user's own text."""

import re
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from patina.core.client import CoreUnavailable
from patina.core.contract.measured import DESCRIBE, Personality
from patina.core.failure import CoreFailed, CoreKilled, StepFailed, Stopped
from patina.core.supervised import Limits, run_core
from patina.errors import PatinaError
from patina.settings import PROJECT_DIR
from patina.trial.schemas import WorkloadDescription

PATIENCE_S = 30.0
KILL_AFTER_S = 5.0
MEMORY_BYTES = 4 * 2**30

WorkloadInvalid = PatinaError.of("workload_invalid", "The workload cannot be read", status=422)
WorkloadTooLarge = PatinaError.of("workload_too_large", "The workload is too large to be described", status=422)
_FOLDER = PROJECT_DIR / "native" / "personalities"
_COMMENT = re.compile(r"\A(?:#.*\n)+")


def describe(
    *, name: str, spec: str | None = None, fit_bytes: int | None = None, files_count: int | None = None
) -> Personality:
    """Returns the workload as it would be scaled. Raises WorkloadInvalid, with the place of the mistake,
    WorkloadTooLarge, CoreUnavailable."""
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
        elif name not in _built_in_names():  # the core would look for a file of that name
            raise WorkloadInvalid(
                f"There is no workload {name!r}; built in are {', '.join(_built_in_names())}. With spec, give its text."
            )
        return _described([*argv, "--spec", name])


def _described(argv: list[str]) -> Personality:
    """Runs the core, within limits: the text is a user's."""
    last = time.monotonic() + PATIENCE_S
    limits = Limits(memory_bytes=MEMORY_BYTES, grace_s=KILL_AFTER_S)
    try:
        return run_core(DESCRIBE, argv, check=lambda: time.monotonic() > last, limits=limits)
    except StepFailed as error:
        if isinstance(error, Stopped | CoreKilled) or "bad_alloc" in error.log:
            raise WorkloadTooLarge(
                f"The workload takes more than {PATIENCE_S:g} s or {MEMORY_BYTES // 2**20} MiB to describe. "
                "Give it fewer files, threads or statements."
            ) from error
        if isinstance(error, CoreFailed) and error.code != "internal":
            raise WorkloadInvalid(error.message) from error
        raise CoreUnavailable(f"patina-core workload: {error.message} Build it with `make native`.") from error


@lru_cache
def _built_in_names() -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.f")))


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
