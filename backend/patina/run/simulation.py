"""A preview of a whole run: the planner without a file system, for some seconds at most."""

import json
import resource
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from patina.core import CoreUnavailable
from patina.errors import PatinaError
from patina.forecast.core import ForecastRefused
from patina.forecast.plan import CoreError, Hello, Plan
from patina.forecast.schemas import ForecastCreate
from patina.forecast.service import document_of_request
from patina.run.event import AgeSummary, Sample
from patina.settings import settings

PATIENCE_S = 15.0
KILL_AFTER_S = 5.0
MEMORY_BYTES = 2 * 2**30
ERROR_CHARS = 10_000
SAMPLES_COUNT = 200

SimulationRecord = Annotated[Hello | Plan | Sample | AgeSummary | CoreError, Field(discriminator="type")]
_record: TypeAdapter[SimulationRecord] = TypeAdapter(SimulationRecord)
_one = threading.BoundedSemaphore(1)


SimulationUnderWay = PatinaError.of("simulation_under_way", "Somebody else is simulating", status=429)
SimulationTooLarge = PatinaError.of("simulation_too_large", "The simulation is too large", status=422)


class SimulationRead(BaseModel):
    """What a run would show. All of it is a forecast; nothing was written anywhere."""

    plan: Plan
    samples: list[Sample] = Field(description="Equally far apart in operations")
    summary: AgeSummary
    is_complete: bool = Field(description="False: it took too long, and shows the beginning of the run")


def simulate(*, session: Session, create: ForecastCreate) -> SimulationRead:
    """Run the model. ForecastRefused, CoreUnavailable, SimulationUnderWay: one at a time, for it takes a whole core."""
    document = document_of_request(session=session, create=create)
    argv = [str(settings().core), "simulate", "--profile", "-", "--samples", str(SAMPLES_COUNT)]
    argv += ["--capacity", str(create.capacity_bytes), "--fullness", repr(create.fullness)]
    for option in ("max_rmse", "max_overwrites", "max_ops"):
        value = getattr(create, option)
        if value is not None:
            argv += [f"--{option.replace('_', '-')}", repr(value)]
    if not _one.acquire(blocking=False):
        raise SimulationUnderWay(
            "Another simulation is under way. Try again in some seconds.", headers={"Retry-After": "5"}
        )
    try:
        return _read(_records(argv, json.dumps(document)))
    except (OSError, ValidationError) as error:
        raise CoreUnavailable(f"patina-core simulate: {error}. Build it with `make native`.") from error
    finally:
        _one.release()


def _records(argv: list[str], document: str) -> list[SimulationRecord]:
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    # Told to stop it says how far it came.
    alarm = threading.Timer(PATIENCE_S, process.send_signal, args=[signal.SIGTERM])
    kill = threading.Timer(PATIENCE_S + KILL_AFTER_S, process.kill)
    try:
        _limit(process.pid)
        kill.start()
        with suppress(BrokenPipeError), process.stdin as stdin:  # it may have refused without reading
            stdin.write(document)
        lines: list[str] = []
        for line in process.stdout:
            if not lines:
                alarm.start()  # before its first word it would end without any
            lines.append(line)
        if "bad_alloc" in process.stderr.read(ERROR_CHARS):
            raise SimulationTooLarge(
                f"The simulation needs more than its {MEMORY_BYTES // 2**20} MiB of memory, for it keeps every file. "
                "Take a smaller capacity, or a profile with larger files."
            )
    finally:
        alarm.cancel()
        kill.cancel()
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    return [_record.validate_json(line) for line in lines]


def _limit(pid: int) -> None:
    """Its memory; and where all of the machine's is taken, this process ends before any other."""
    with suppress(OSError):  # it has ended already
        resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000", encoding="ascii")


def _read(records: list[SimulationRecord]) -> SimulationRead:
    last = records[-1] if records else None
    if isinstance(last, CoreError):
        raise ForecastRefused(last.code, last.message)
    plans = [record for record in records if isinstance(record, Plan)]
    if not isinstance(last, AgeSummary) or not plans:
        raise CoreUnavailable("patina-core simulate ended without a summary.")
    return SimulationRead(
        plan=plans[0],
        samples=[record for record in records if isinstance(record, Sample)],
        summary=last,
        is_complete=last.stop_reason != "canceled",
    )
