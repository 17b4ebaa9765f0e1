"""The device of a trial: made equal to an image before each repetition, and known to differ from it afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.orm import Session

from patina.core.contract.delta import DeltaSummary
from patina.core.failure import StepFailed
from patina.delta import service as delta_service
from patina.delta.models import Delta
from patina.file_name import file_below
from patina.settings import settings
from patina.trial.measurement import Restoration, TraceFigures
from patina_worker.host import file_system
from patina_worker.host.generation import generation_of
from patina_worker.host.write_check import Target, check_may_destroy, check_may_write
from patina_worker.jobs.log import JobLog
from patina_worker.store.fetch import fetch_image
from patina_worker.store.held_image import StoredImage, restore, rollback
from patina_worker.store.tracing import Tracing

NOT_TRACED = "not_traced"


@dataclass
class TraceResult:
    """What the trace of a repetition recorded; set once it has ended."""

    traced: TraceFigures | None = None


@dataclass
class _Known:
    """What the device holds."""

    image_id: int
    generation: str
    delta_name: str | None
    is_complete: bool  # no write is unknown


@dataclass
class HeldDevice:
    """The device of one trial. Every write to it goes through here, after a check."""

    device_id: int
    target: Target
    log: JobLog
    lock: int
    _has_written: bool = field(default=False, init=False)

    def hold(self, image: StoredImage) -> Restoration:
        """Makes the device equal to the image, by the cheapest way that is certain."""
        fetch_image(name=image.index_name, digest=image.index_digest, observer=self.log.observer())
        known = self._look()
        if known is not None and known.image_id == image.image_id:
            if known.delta_name is None and known.is_complete:
                return Restoration(how="held", elapsed_s=0, written_bytes=0)
            self._will_write(image.uuid)
            delta = self._delta_of(known)
            done = rollback(image, self.target, delta, check=self.log.must_stop, lock=self.lock)
            self._holds(image, done.generation)
            how = "rollback" if done.compared == "touched" else "compare"
            return Restoration(how=how, elapsed_s=done.elapsed_s, written_bytes=done.touched_bytes)
        self._will_write(image.uuid)
        self.log.write(lambda session: delta_service.forget(session=session, device_id=self.device_id))
        restored = restore(image, self.target, check=self.log.must_stop, lock=self.lock)
        self._holds(image, restored.generation)
        return Restoration(how="restore", elapsed_s=restored.elapsed_s, written_bytes=restored.written_bytes)

    def _look(self) -> _Known | None:
        generation = generation_of(self.target.path)
        return self.log.write(lambda session: self._known(session, generation))

    def _known(self, session: Session, generation: str) -> _Known | None:
        holding = delta_service.held(session=session, device_id=self.device_id)
        if holding is None:
            return None
        is_as_noted = bool(holding.generation) and holding.generation == generation
        delta = holding.delta
        return _Known(
            image_id=holding.image_id,
            generation=holding.generation,
            delta_name=None if delta is None else delta.file_name,
            is_complete=is_as_noted and not holding.differs and (delta is None or delta.incomplete_reason is None),
        )

    def _delta_of(self, known: _Known) -> Path | None:
        """Returns the delta to roll back; None where everything must be compared."""
        if known.delta_name is None or not known.is_complete:
            return None
        return file_below(settings().delta_dir, known.delta_name)

    def _will_write(self, uuid: str | None) -> None:
        """Checks the device right before a write. The first time its content must be the one that was confirmed; later
        the device is this job's, and its identity and use are checked. `uuid`: of the file system that it will hold."""
        path = self.target.path
        if self._has_written:
            check_may_write(self.target)
        else:
            check_may_destroy(self.target)
        # A worker that goes on after this one was killed recognises the device by these.
        found = file_system.uuid_on(path)
        self.log.will_hold(uuid or found, given_up_uuid=found, given_up_generation=generation_of(path))
        self._has_written = True

    def _holds(self, image: StoredImage, generation: str) -> None:
        self.log.write(
            lambda session: delta_service.hold(
                session=session, device_id=self.device_id, image_id=image.image_id, generation=generation
            )
        )

    @contextmanager
    def written_to(self, *, is_traced: bool) -> Iterator[TraceResult]:
        """Marks the device as differing from its image, before the first write and until the next `hold`; a kill at any
        point leaves it marked. With a trace the differing blocks are known afterwards."""
        result = TraceResult()
        known = self._look()
        assert known is not None
        self._will_write(file_system.uuid_on(self.target.path))
        tracing = Tracing(
            self.target.path,
            size_bytes=self.target.size_bytes,
            generation=known.generation,
            job_id=self.log.job_id,
            lock=self.lock,
        )
        delta_id = self.log.write(lambda session: self._expect(session, tracing.delta_name, is_traced))
        if not is_traced:
            yield result
            return
        try:
            armed = tracing.begin(self.log.must_stop)
        except StepFailed:  # not armed: nothing was written
            self.log.write(
                lambda session: delta_service.unexpect(session=session, delta=session.get_one(Delta, delta_id))
            )
            raise
        summary: DeltaSummary | None = None
        try:
            yield result
        finally:
            summary = tracing.end(self.log.must_go)
            if summary is not None:
                done = summary
                self.log.write(
                    lambda session: delta_service.complete(
                        session=session, delta=session.get_one(Delta, delta_id), summary=done
                    )
                )
            seen = tracing.summary
            result.traced = TraceFigures(
                source=armed.source,
                touched_bytes=0 if summary is None else summary.touched_bytes,
                incomplete_reason="tracer_died" if summary is None else summary.incomplete_reason,
                written_bytes=seen and seen.written_bytes,
                metadata_written_bytes=seen and seen.metadata_written_bytes,
                reads_count=seen and seen.reads_count,
                read_bytes=seen and seen.read_bytes,
                read_jumps_count=seen and seen.read_jumps_count,
            )

    def _expect(self, session: Session, delta_name: str, is_traced: bool) -> int:
        holding = delta_service.require_held(session=session, device_id=self.device_id)
        delta = delta_service.expect(session=session, holding=holding, file_name=delta_name)
        if not is_traced:
            delta.incomplete_reason = NOT_TRACED
        return delta.id
