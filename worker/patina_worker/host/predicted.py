"""Measures the time that an emulated disk's model predicts for what is done on it."""

import time

from patina.core.failure import StepFailed
from patina.device.emulation import Prediction
from patina_worker.host import disk_folder, emulator, sandbox
from patina_worker.host.write_check import Target


class PredictedTime:
    """Measures from here on. For a device that is not emulated, or has no disk model, there is no prediction."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._began = time.monotonic()
        self._before = self._clock()

    def prediction(self) -> Prediction | None:
        """Returns the time so far, here and as predicted; None without a prediction, or where the emulator was started
        anew meanwhile."""
        before, after = self._before, self._clock()
        if before is None or after is None or before[0] != after[0]:
            return None
        return Prediction(
            model_label=after[2], elapsed_s=time.monotonic() - self._began, predicted_s=max(after[1] - before[1], 0.0)
        )

    def _clock(self) -> tuple[int, float, str] | None:
        """Returns the emulator's process, its clock, and the label of the disk model."""
        if not self._target.is_emulated:
            return None
        folder = sandbox.backing_file(stable_id=self._target.stable_id, medium=self._target.medium)
        served = emulator.find(folder)
        if served is None or served.status.clock_s is None:
            return None
        try:
            label = disk_folder.asked_of(folder).emulation.model_label
        except StepFailed:
            return None
        return served.pid, served.status.clock_s, label or served.status.model or ""
