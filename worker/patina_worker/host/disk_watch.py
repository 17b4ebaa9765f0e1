"""Reads the attached disks in a thread of its own: a disk that does not answer must not make its host silent.

A disk is read only after the kernel's count of its writes has changed, so that a sleeping one stays asleep.
"""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from patina.device.facts import DeviceFacts
from patina_worker.host import device_users, probe
from patina_worker.host.device_users import Uses
from patina_worker.host.disk_health import Health
from patina_worker.host.generation import generations_of
from patina_worker.host.probe import BlockDevice

log = structlog.get_logger()

PERIOD_S = 3.0
WRITERS_PERIOD_S = 15.0  # reading the open files of all processes takes longer than the rest
_Contents = dict[str, str | None]  # content of the disk and of each partition, by path


@dataclass(frozen=True)
class Seen:
    """An attached disk, as it was from a time on."""

    block: BlockDevice
    why_in_use: str | None
    facts: DeviceFacts
    holds: str | None
    generation: str  # before its content was read
    at: datetime


class Watch:
    """The attached disks as last seen. One thread reads them; any thread may ask."""

    def __init__(self) -> None:
        self._contents: dict[str, tuple[tuple[object, ...], _Contents]] = {}
        self._seen: list[Seen] | None = None
        self._health = Health()
        self._writers: dict[str, str] = {}
        self._writers_at = -WRITERS_PERIOD_S

    def start(self) -> None:
        """Starts the watch; its thread ends with the process."""
        threading.Thread(target=self._look_for_ever, name="watch", daemon=True).start()

    def latest(self) -> list[Seen]:
        """Returns the latest result; before the first one, reads the disks in the caller's thread."""
        return self.look() if self._seen is None else self._seen

    def look(self) -> list[Seen]:
        """Returns every attached disk as it is now."""
        at = datetime.now(UTC)
        blocks = probe.list_attached()
        found = self._uses_of(blocks)
        generations = generations_of([block.path for block in blocks])
        seen = [self._look_at(block, found, generations[block.path], at) for block in blocks]
        self._seen = seen
        self._health.keep({(each.block.path, each.block.stable_id) for each in seen})
        self._contents = {each.block.path: self._contents[each.block.path] for each in seen}
        return seen

    def _look_for_ever(self) -> None:
        pause = threading.Event()
        while True:
            began = time.monotonic()
            try:
                self.look()
            except (OSError, ValueError):
                pass  # a disk is just being attached or detached: the next round sees it
            except Exception:
                log.exception("disks not read; trying again")  # an ended thread would stop the watch
            pause.wait(max(PERIOD_S - (time.monotonic() - began), PERIOD_S / 3))

    def _uses_of(self, blocks: list[BlockDevice]) -> Uses:
        """Returns the uses with writers of a few seconds ago, unless there was one: it may have ended since."""
        had_writer = any(block.numbers & self._writers.keys() for block in blocks)
        if had_writer or time.monotonic() - self._writers_at > WRITERS_PERIOD_S:
            self._writers, self._writers_at = device_users.all_writers(), time.monotonic()
        return device_users.look(self._writers)

    def _look_at(self, block: BlockDevice, found: Uses, generation: str, at: datetime) -> Seen:
        contents = self._contents_of(block)
        return Seen(
            block=block,
            why_in_use=probe.why_in_use(block, found),
            facts=probe.facts_of(block, contents, found.mounts, self._health.of(block.path, block.stable_id)),
            holds=contents[block.path],
            generation=generation,
            at=at,
        )

    def _contents_of(self, block: BlockDevice) -> _Contents:
        mark = (block.stable_id, block.size_bytes, block.partitions, writes_of(block.name))
        known = self._contents.get(block.path)
        if known is not None and known[0] == mark and mark[-1] is not None:
            return known[1]
        contents = probe.contents_of(block)
        self._contents[block.path] = (mark, contents)
        return contents


def writes_of(name: str) -> tuple[int, ...] | None:
    """Returns the counts of writes and discards completed on the disk since it was attached; None while some are in
    flight (Documentation/block/stat)."""
    try:
        fields = [int(word) for word in Path(f"/sys/block/{name}/stat").read_text(encoding="utf-8").split()]
    except (OSError, ValueError):
        return None
    return None if fields[8] else (fields[4], fields[6], *fields[11:14:2])
