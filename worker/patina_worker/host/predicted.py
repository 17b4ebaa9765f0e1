"""Measures the time that an emulated disk's model predicts for what is done on it."""

import time
from dataclasses import dataclass
from typing import Literal

from patina.core.failure import StepFailed
from patina.device.emulation import Prediction
from patina_worker.host import disk_folder, emulator, sandbox
from patina_worker.host.write_check import Target


def clock_s(target: Target) -> float | None:
    """Returns the clock of the device's emulator, which advances by what is predicted; None without a disk model."""
    found = PredictedTime(target).before
    return None if found is None else found.clock_s


@dataclass(frozen=True)
class _Clock:
    pid: int  # of the emulator, whose clock begins with it
    clock_s: float
    model_label: str
    time: Literal["accurate", "fast"]


class PredictedTime:
    """Measures from here on. For a device that is not emulated, or has no disk model, there is no prediction."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._began = time.monotonic()
        self.before = self._clock()

    def prediction(self) -> Prediction | None:
        """Returns the time so far, here and as predicted; None without a prediction, or where the emulator was started
        anew meanwhile."""
        before, after = self.before, self._clock()
        if before is None or after is None or before.pid != after.pid:
            return None
        return Prediction(
            model_label=after.model_label,
            time=after.time,
            elapsed_s=time.monotonic() - self._began,
            predicted_s=max(after.clock_s - before.clock_s, 0.0),
        )

    def _clock(self) -> _Clock | None:
        if not self._target.is_emulated:
            return None
        folder = sandbox.backing_file(stable_id=self._target.stable_id, medium=self._target.medium)
        served = emulator.find(folder)
        if served is None or served.status.clock_s is None:
            return None
        try:
            asked = disk_folder.asked_of(folder).emulation
        except StepFailed:
            return None
        return _Clock(served.pid, served.status.clock_s, asked.model_label or served.status.model or "", asked.time)
