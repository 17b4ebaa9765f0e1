"""Handles studies: runs the core once for each cell and seed, several at a time, and stores each result at once."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Event

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.contract.shingle import CAPACITY, CLEANING, CapacitySummary, CleaningSummary
from patina.core.failure import CoreFailed, Stopped
from patina.core.supervised import run_core
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.study.models import Study, StudyResult
from patina.study.schemas import StudyOutcome
from patina.study.service import settings_of
from patina.study.settings import CapacitySettings, Cell, CleaningSettings
from patina_worker.jobs import lock as locks
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done

# As many as an aging has threads. All studies of a host share them: trials and agings go on beside.
PROCESSES_COUNT = min(4, os.cpu_count() or 1)
PROCESSES_LOCK = "study.lock"
POLL_S = 0.2


@dataclass(frozen=True)
class Simulation:
    """One run of the core."""

    settings: CapacitySettings | CleaningSettings
    cell: Cell
    index: int  # of the cell
    seed: int

    @property
    def argv(self) -> list[str]:
        """Returns the arguments of the simulation."""
        settings, cell = self.settings, self.cell
        words: dict[str, object] = {"did": cell.did_blocks, "dnor": settings.dnor_blocks, "seed": self.seed}
        if isinstance(settings, CapacitySettings):
            words |= {"usable": settings.usable_bytes, "operations": settings.operations_count}
        else:
            words |= {"size": settings.size_bytes, "band": settings.band_bytes}
            words |= {"fullness": cell.fullness, "times": settings.times}
        words["policy" if cell.interface == "caveat" else "clean"] = cell.policy
        return [text for name, value in words.items() for text in (f"--{name}", str(value))]

    def run(self, stop: Event, lock: int) -> CapacitySummary | CleaningSummary:
        """Returns what the core found. Raises CoreFailed and its like, Stopped."""
        with _process_slot(stop):
            try:
                if isinstance(self.settings, CapacitySettings):
                    return run_core(CAPACITY, self.argv, check=stop.is_set, inherit=(lock,))
                return run_core(CLEANING, self.argv, check=stop.is_set, inherit=(lock,))
            except CoreFailed as error:
                said = f"{self.cell.label}, seed {self.seed}: {error.message}"
                raise CoreFailed(error.code, said, log=error.log) from error


@contextmanager
def _process_slot(stop: Event) -> Iterator[None]:
    """Waits until one of the host's processes for studies is free, and has it. Raises Stopped."""
    while not stop.is_set():
        for number in range(PROCESSES_COUNT):
            with locks.held(number, file_name=PROCESSES_LOCK) as descriptor:
                if descriptor is not None:
                    yield
                    return
        time.sleep(POLL_S)  # no event reports that another process has given up its lock
    raise Stopped("Stopped before it had begun.")


def handle(_: BaseModel, log: JobLog, lock: int) -> Done:
    """Simulates all that has no result yet. Raises CoreFailed and its like: the first failure ends the study."""
    left, total_count = log.write(lambda session: _left(session, log.job_id))
    log.enter(f"Simulating {total_count} disks", phase="simulate")
    with log.stoppable():
        _simulate(left, total_count, log, lock)
    return Done(f"Simulated {total_count} disks", StudyOutcome(results_count=total_count))


def clean_up(_: int) -> str:
    """Returns the message for the study's log: the core leaves nothing behind."""
    return "Interrupted: the worker died while it simulated. The results so far are kept; the rest goes on."


def _left(session: Session, study_id: int) -> tuple[list[Simulation], int]:
    """Returns what has no result yet: a seed of each cell, then the next seed. Figures are whole early."""
    settings = settings_of(session.get_one(Study, study_id))
    cells = settings.cells()
    rows = session.execute(select(StudyResult.cell, StudyResult.seed).where(StudyResult.study_id == study_id))
    done = {(cell, seed) for cell, seed in rows}
    left = [
        Simulation(settings, cell, index, seed)
        for seed in range(1, settings.seeds_count + 1)
        for index, cell in enumerate(cells)
        if (index, seed) not in done
    ]
    return left, settings.results_count


def _simulate(left: list[Simulation], total_count: int, log: JobLog, lock: int) -> None:
    stop, done_count = Event(), total_count - len(left)
    waiting = iter(left)
    with ThreadPoolExecutor(PROCESSES_COUNT, thread_name_prefix="study") as executor:

        def _begin(count: int) -> dict[Future[CapacitySummary | CleaningSummary], Simulation]:
            return {executor.submit(each.run, stop, lock): each for each in islice(waiting, count)}

        try:
            under_way = _begin(PROCESSES_COUNT)
            while under_way:
                log.progress(done_count, total_count, "results")
                ended, _ = wait(under_way, timeout=POLL_S, return_when=FIRST_COMPLETED)
                for future in ended:
                    _store(log, under_way.pop(future), future.result())
                    done_count += 1
                if log.must_stop():
                    raise Stopped("Stopped; the results so far are kept.")
                under_way |= _begin(len(ended))
        finally:
            stop.set()
    log.progress(done_count, total_count, "results")


def _store(log: JobLog, simulation: Simulation, summary: BaseModel) -> None:
    def _write(session: Session) -> None:
        document = summary.model_dump(mode="json")
        session.add(StudyResult(study_id=log.job_id, cell=simulation.index, seed=simulation.seed, summary=document))
        # A study that has made progress may be interrupted as often again.
        session.get_one(Study, log.job_id).resumes_left_count = AUTOMATIC_RESUMES_COUNT

    log.write(_write)
