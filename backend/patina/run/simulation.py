"""A preview of a whole run: the planner without a file system, for some seconds."""

import json
import threading
import time

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from patina.core.client import CoreUnavailable
from patina.core.contract.age import AgeSummary, Sample
from patina.core.contract.plan import Plan
from patina.core.failure import CoreFailed, StepFailed
from patina.core.record import Command, CoreError, Hello
from patina.core.supervised import Limits, run_core
from patina.errors import PatinaError
from patina.forecast.core import ForecastRefused
from patina.forecast.schemas import FileSettings, ForecastCreate
from patina.forecast.service import document_of_request

PATIENCE_S = 15.0
KILL_AFTER_S = 5.0
MEMORY_BYTES = 2 * 2**30
SAMPLES_COUNT = 200

SimulationRecord = Hello | Plan | Sample | AgeSummary | CoreError
SIMULATE = Command[SimulationRecord, AgeSummary]("simulate", SimulationRecord, AgeSummary)
_one = threading.BoundedSemaphore(1)


SimulationUnderWay = PatinaError.of("simulation_under_way", "Another simulation is under way", status=429)
SimulationTooLarge = PatinaError.of("simulation_too_large", "The simulation is too large", status=422)


class SimulationRead(BaseModel):
    """The preview of a run. Every number is a forecast; nothing was written to a device."""

    plan: Plan
    samples: list[Sample] = Field(description="At equal distances in operations")
    summary: AgeSummary
    is_complete: bool = Field(description="false: the time limit was reached, and only the beginning is shown")


def simulate(*, session: Session, create: ForecastCreate) -> SimulationRead:
    """Runs the model, one at a time: it takes a whole core. ForecastRefused, CoreUnavailable, SimulationUnderWay."""
    document = document_of_request(session=session, create=create)
    argv = ["--profile", "-", "--samples", str(SAMPLES_COUNT)]
    argv += ["--capacity", str(create.capacity_bytes), "--fullness", repr(create.fullness)]
    options = ("max_rmse", "max_overwrites", "max_ops", *FileSettings.model_fields)
    for name, value in create.model_dump(include=set(options), exclude_none=True).items():
        argv += [f"--{name.replace('_', '-')}", str(value)]
    if not _one.acquire(blocking=False):
        raise SimulationUnderWay(
            "Another simulation is under way. Try again in some seconds.", headers={"Retry-After": "5"}
        )
    try:
        return _made(argv, json.dumps(document))
    finally:
        _one.release()


def _made(argv: list[str], document: str) -> SimulationRead:
    records: list[SimulationRecord] = []
    began: list[float] = []  # time of the first record: a stop before that would leave no result

    def _take(record: SimulationRecord) -> None:
        began.append(time.monotonic())
        records.append(record)

    def _is_late() -> bool:
        return bool(began) and time.monotonic() - began[0] > PATIENCE_S

    limits = Limits(document=document, memory_bytes=MEMORY_BYTES, grace_s=KILL_AFTER_S)
    try:
        summary = run_core(SIMULATE, argv, on_record=_take, check=_is_late, limits=limits)
    except StepFailed as error:
        if "bad_alloc" in error.log:
            raise SimulationTooLarge(
                f"The simulation needs more than its {MEMORY_BYTES // 2**20} MiB of memory, for it keeps every file. "
                "Take a smaller capacity, or a profile with larger files."
            ) from error
        if isinstance(error, CoreFailed):
            raise ForecastRefused(error.code, error.message) from error
        raise CoreUnavailable(f"patina-core simulate: {error.message} Build it with `make native`.") from error
    return SimulationRead(
        plan=next(record for record in records if isinstance(record, Plan)),
        samples=[record for record in records if isinstance(record, Sample)],
        summary=summary,
        is_complete=summary.stop_reason != "canceled",
    )
