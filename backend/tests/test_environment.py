"""Settings of an installation are those of the environment when they are read."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from patina import settings as module
from patina.settings import Settings, forget_settings, settings
from patina_dev.testing.wait import HANG_S, wait_until


def test_a_reading_that_began_before_a_change_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, released = threading.Event(), threading.Event()

    def _read_slowly() -> Settings:
        read = Settings()
        begun.set()
        assert released.wait(HANG_S)
        return read

    forget_settings()
    monkeypatch.setattr(module, "Settings", _read_slowly)
    with ThreadPoolExecutor() as threads:
        before = threads.submit(settings)
        assert begun.wait(HANG_S)
        monkeypatch.setenv("PATINA_HOST_NAME", "renamed")
        forgetting = threads.submit(forget_settings)
        wait_until("the change waits for the reading, or is over", lambda: forgetting.running() or forgetting.done())
        released.set()
        forgetting.result(HANG_S)
        assert before.result(HANG_S).host_name != "renamed"
        assert threads.submit(settings).result(HANG_S).host_name == "renamed"
    monkeypatch.undo()
    forget_settings()
