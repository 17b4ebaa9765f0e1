"""A file system that the core serves by FUSE, mounted while its process runs."""

import threading
from collections.abc import Sequence
from pathlib import Path

from patina.core.contract.smrfs import SMRFS_MOUNT, SmrFsReady, SmrFsRecord
from patina.core.failure import StepFailed
from patina.core.supervised import run_core
from patina_worker.failure import MountFailed, UnmountFailed


class _Quiet:
    """It may write nothing for days."""

    is_paused = True

    def lines(self) -> Sequence[str]:
        return ()


class Served:
    """The process. It ends with the thread that watches it, and that with the worker."""

    def __init__(self, path: str, folder: Path, argv: Sequence[str]) -> None:
        """Mounts. Raises MountFailed."""
        self._path = path
        self._failure: StepFailed | None = None
        self._changed = threading.Event()
        self._is_ready = False
        words = ["--device", path, "--mount", str(folder), "--with-parent", *argv]
        self._watch = threading.Thread(target=self._run, args=(words,), name=f"served {path}", daemon=True)
        self._watch.start()
        self._changed.wait()
        if not self._is_ready:
            self._watch.join()
            failure = self._failure
            raise MountFailed(
                f"{path} cannot be mounted at {folder}: {failure.message if failure else 'it ended'}",
                log=failure.log if failure else "",
            )

    def _run(self, words: Sequence[str]) -> None:
        try:
            run_core(SMRFS_MOUNT, words, check=lambda: False, on_record=self._on_record, steer=_Quiet())
        except StepFailed as error:
            self._failure = error
        finally:
            self._changed.set()

    def _on_record(self, record: SmrFsRecord) -> None:
        if isinstance(record, SmrFsReady):
            self._is_ready = True
            self._changed.set()

    def wait(self) -> None:
        """Waits, after the unmount, until all is on the device. Raises UnmountFailed."""
        self._watch.join()
        if self._failure is not None:
            raise UnmountFailed(
                f"{self._path} was not written to its end: {self._failure.message}", log=self._failure.log
            ) from self._failure
