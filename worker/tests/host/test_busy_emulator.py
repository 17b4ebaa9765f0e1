"""An emulator that does not answer: it is busy, and has not ended."""

import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from socket import AF_UNIX, MSG_PEEK, SOCK_NONBLOCK, SOCK_STREAM, socket
from threading import Event, Thread

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from fixture_types import MIB, MakeSandbox, RemoveSandbox
from observe import device_of
from patina.core.contract.emulate import Fault, NoFault, ReadOnly
from patina.db import transaction
from patina.device import fault as fault_service
from patina.device.emulation import FaultRead
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.host.models import Host
from patina_dev.testing.wait import wait_until
from patina_worker.failure import EmulatorBusy
from patina_worker.host import disk_report, emulated, emulator, inventory, sandbox
from patina_worker.host.loop_device import attached_loops
from patina_worker.host.predicted import PredictedParts
from patina_worker.host.private_folder import opened
from patina_worker.host.write_check import Target, target_of

ASKED: dict[str, object] = {"model": "hdd-7200", "available_bytes": 64 * MIB}
IDLE_S = 0.05


@pytest.fixture
def device_id(make_sandbox: MakeSandbox) -> int:
    """Returns a free disk with a model."""
    return make_sandbox(64 * MIB, emulation=ASKED)


@pytest.fixture
def target(device_id: int) -> Target:
    """Returns the disk as a job has it."""
    device = device_of(device_id)
    confirmed = {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "serial": None}
    return target_of(device, confirmed)


def _folder_of(target: Target) -> Path:
    return sandbox.backing_file(stable_id=target.stable_id, medium=target.medium)


def _read(target: Target) -> None:
    """Reads without a cache and without a read ahead: the request has ended."""
    device, block = os.open(target.path, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, MIB)
    try:
        os.preadv(device, [block], 0)
    finally:
        os.close(device)


def _busy_s(target: Target) -> float:
    """Returns the time in which the modelled disk had a request."""
    busy_s = emulator.status(_folder_of(target)).predicted_s
    assert busy_s is not None
    return busy_s


def _host(host_id: int) -> Host:
    with transaction() as session:
        return session.get_one(Host, host_id)


def _lock(session: Session, device_id: int) -> Device:
    """Locks the row. Fails at once where another transaction has locked it."""
    return session.scalars(select(Device).where(Device.id == device_id).with_for_update(of=Device, nowait=True)).one()


def _sent(device_id: int) -> FaultRead:
    """Asks a fault as the API does, and sends it as the worker does. Returns what its row then has."""
    from patina_worker import tasks

    with transaction() as session:
        fault_service.inject_fault(session=session, device_id=device_id, fault=ReadOnly(kind="read_only"))
    tasks.inject_fault(device_id)
    return FaultRead.model_validate(device_of(device_id).fault)


class _Silent:
    """Clients of a control socket that say nothing: the emulator waits a second for each, one after the other."""

    def __init__(self, address: str, count: int) -> None:
        self._address, self._count = address, count
        self._clients: list[socket] = []
        self.fill()

    def fill(self) -> None:
        """Replaces those that were answered; fewer where no connection more can wait."""
        for client in [client for client in self._clients if _is_answered(client)]:
            client.close()
            self._clients.remove(client)
        while len(self._clients) < self._count:
            client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK)
            try:
                client.connect(self._address)
            except BlockingIOError:
                client.close()
                return
            self._clients.append(client)

    def close(self) -> None:
        for client in self._clients:
            client.close()


def _is_answered(client: socket) -> bool:
    try:
        client.recv(1, MSG_PEEK)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _busy(target: Target, monkeypatch: pytest.MonkeyPatch, *, clients_count: int = 8) -> Iterator[None]:
    """Keeps the emulator's control socket busy, and shortens the patience of the worker. A process stopped by a
    signal would also block every LOOP_GET_STATUS64 of its loop device."""
    ended = Event()

    def keep_busy() -> None:
        while not ended.wait(0.02):
            silent.fill()

    with monkeypatch.context() as patched, opened(_folder_of(target)) as descriptor:
        patched.setattr(emulator, "ANSWER_PATIENCE_S", 0.1)
        patched.setattr(emulator, "LONG_PATIENCE_S", 0.1)
        silent = _Silent(f"/proc/self/fd/{descriptor}/backing/control", clients_count)
        thread = Thread(target=keep_busy)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            silent.close()


def test_it_is_named_and_not_taken_for_one_that_has_ended(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _folder_of(target)
    (loop,) = [each for each in attached_loops() if each.path == target.path]
    with _busy(target, monkeypatch):
        inject = partial(emulator.inject, fault=NoFault(kind="none"))
        for ask in (emulator.status, emulator.find, emulator.start, inject):
            with pytest.raises(EmulatorBusy, match="runs and has not answered"):
                ask(folder)
        assert emulated.is_behind(loop, folder)
    assert emulator.find(folder) is not None


def test_one_with_many_waiting_requests_has_not_ended(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _folder_of(target)
    with _busy(target, monkeypatch, clients_count=100):
        for ask in (emulator.status, emulator.find, emulator.start):
            with pytest.raises(EmulatorBusy, match="runs and has not answered"):
                ask(folder)


def test_a_heartbeat_leaves_its_row_as_it_was(
    device_id: int, target: Target, host_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = device_of(device_id)
    with _busy(target, monkeypatch):
        inventory.refresh(_host(host_id), [])
        inventory.attach_sandboxes(_host(host_id))
        disk_report.report(_host(host_id))
    after = device_of(device_id)
    assert (after.path, after.condition, after.seen_at) == (before.path, DeviceCondition.READY, before.seen_at)
    inventory.refresh(_host(host_id), [])
    assert device_of(device_id).seen_at != before.seen_at


def test_a_fault_that_waits_for_it_locks_no_row_and_may_come_later(
    device_id: int, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    inject = emulator.inject

    def injected(folder: Path, fault: Fault) -> None:
        with transaction() as session:
            _lock(session, device_id)
        inject(folder, fault)

    monkeypatch.setattr(emulator, "inject", injected)
    with _busy(target, monkeypatch):
        assert "may come into force later" in (_sent(device_id).error or "")
    wait_until("the fault is in force", lambda: emulator.status(_folder_of(target)).faults)


def test_a_fault_that_is_asked_while_another_one_is_sent_stays(
    device_id: int, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = FaultRead(fault=NoFault(kind="none"), asked_at=datetime.now(UTC), done_at=None, error=None)

    def asked_meanwhile(_folder: Path, _fault: Fault) -> None:
        with transaction() as session:
            _lock(session, device_id).fault = newer.model_dump(mode="json")

    monkeypatch.setattr(emulator, "inject", asked_meanwhile)
    assert _sent(device_id) == newer


def test_a_removal_that_meets_it_removes_nothing_and_can_be_repeated(
    device_id: int, target: Target, host_id: int, remove_sandbox: RemoveSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _folder_of(target)
    with _busy(target, monkeypatch, clients_count=100):
        remove_sandbox(device_id)
    refused = device_of(device_id)
    assert refused.condition == DeviceCondition.PROTECTED
    assert "runs and has not answered" in (refused.condition_reason or "")
    inventory.refresh(_host(host_id), [])
    free = device_of(device_id)
    assert (free.condition, free.condition_reason) == (DeviceCondition.READY, None)
    assert free.path is not None
    remove_sandbox(device_id)
    assert device_of(device_id).condition == DeviceCondition.REMOVED
    assert not folder.exists()


def test_a_prediction_goes_on_over_it(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = PredictedParts(target, has_earlier=False, earlier=None)
    _read(target)
    first = parts.so_far()
    assert first is not None
    with _busy(target, monkeypatch):
        assert parts.so_far() == first
        assert parts.final() == first.model_copy(update={"is_whole": False})
    _read(target)
    whole = parts.so_far()
    assert whole is not None
    assert whole.is_whole
    assert whole.predicted_s > first.predicted_s


@pytest.mark.parametrize("is_busy_at", ["begin", "end"])
def test_a_prediction_is_whole_over_a_pause_that_meets_it(
    target: Target, monkeypatch: pytest.MonkeyPatch, is_busy_at: str
) -> None:
    began = time.monotonic()
    parts = PredictedParts(target, has_earlier=False, earlier=None)
    before, busy_before_s = parts.so_far(), _busy_s(target)
    _read(target)
    busy_s = _busy_s(target) - busy_before_s
    with _busy(target, monkeypatch) if is_busy_at == "begin" else nullcontext():
        parts.pause()
    time.sleep(IDLE_S)  # the pause: it must be longer than 0 to be left out
    with _busy(target, monkeypatch) if is_busy_at == "end" else nullcontext():
        parts.go_on()
    after = parts.so_far()
    assert before is not None
    assert after is not None
    assert after.is_whole
    # What was read counts, although no measurement was made between it and the pause. The pause does not count.
    assert after.predicted_s - before.predicted_s > 0.99 * busy_s > 0
    assert after.elapsed_s < time.monotonic() - began - IDLE_S


def test_the_time_of_a_pause_is_not_predicted(target: Target) -> None:
    parts = PredictedParts(target, has_earlier=False, earlier=None)
    _read(target)
    parts.pause()
    first = parts.so_far()
    assert first is not None
    _read(target)
    assert parts.so_far() == parts.recent() == first
    parts.go_on()
    _read(target)
    whole = parts.so_far()
    assert whole is not None
    assert whole.is_whole
    assert whole.predicted_s > first.predicted_s
