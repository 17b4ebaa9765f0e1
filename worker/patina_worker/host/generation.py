"""Gets the generation of devices from the core: a text that changes when a device is written to. No device is read."""

import time

import structlog

from patina.core.contract.delta import GENERATION, Generation, GenerationRecord
from patina.core.failure import StepFailed
from patina.core.supervised import run_core
from patina_worker.host import device_node

log = structlog.get_logger()

LIMIT_S = 10.0  # an answer comes from memory


def generation_of(path: str) -> str:
    """Returns the generation of a device; empty where it is not known."""
    return generations_of([path])[path]


def generations_of(paths: list[str]) -> dict[str, str]:
    """Returns the generation of each device; empty where it is not known, and for paths that are no disk."""
    found = dict.fromkeys(paths, "")
    disks = [path for path in found if device_node.is_whole_disk(path)]
    deadline = time.monotonic() + LIMIT_S
    records: list[GenerationRecord] = []
    try:
        if disks:
            argv = ["--device", *disks]
            run_core(GENERATION, argv, on_record=records.append, check=lambda: time.monotonic() > deadline)
    except StepFailed as error:
        log.warning("generations not known", error=error.message)
    return found | {row.device: row.generation or "" for row in records if isinstance(row, Generation)}
