"""Measures the time that an emulated disk's model predicts for what is done on it."""

import time
from dataclasses import dataclass
from typing import Literal

from patina.core.failure import StepFailed
from patina.device.emulation import Prediction
from patina_worker.failure import EmulatorBusy
from patina_worker.host import disk_folder, emulator, sandbox
from patina_worker.host.write_check import Target

RECENT_S = 1.0


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
    """Measures from here on. For a device that is not emulated, has no disk model, or does not answer, there is no
    prediction."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._began = time.monotonic()
        self._left_out_s = 0.0
        try:
            self.before = self._clock(emulator.LONG_PATIENCE_S)
        except EmulatorBusy:
            self.before = None

    def prediction(self, patience_s: float | None = None) -> Prediction | None:
        """Returns the time so far, here and as predicted; None without a prediction, or where the emulator was started
        anew meanwhile. EmulatorBusy."""
        before, after = self.before, self._clock(patience_s)
        if before is None or after is None or before.pid != after.pid:
            return None
        return Prediction(
            model_label=after.model_label,
            time=after.time,
            elapsed_s=time.monotonic() - self._began - self._left_out_s,
            predicted_s=max(after.clock_s - before.clock_s - self._left_out_s, 0.0),
        )

    def leave_out(self, idle_s: float) -> None:
        """Leaves out a time in which nothing was done: the emulator's clock ran on with the host's."""
        self._left_out_s += idle_s

    @property
    def is_possible(self) -> bool:
        """Returns whether the device predicts anything."""
        return self.before is not None

    def _clock(self, patience_s: float | None) -> _Clock | None:
        if not self._target.is_emulated:
            return None
        folder = sandbox.backing_file(stable_id=self._target.stable_id, medium=self._target.medium)
        served = emulator.find(folder, patience_s=patience_s)
        if served is None or served.status.clock_s is None:
            return None
        try:
            asked = disk_folder.asked_of(folder).emulation
        except StepFailed:
            return None
        return _Clock(served.pid, served.status.clock_s, asked.model_label or served.status.model or "", asked.time)


class PredictedParts:
    """Measures a part of a longer work from here on, and adds the earlier parts, if there are some."""

    def __init__(self, target: Target, *, has_earlier: bool, earlier: Prediction | None) -> None:
        self._target = target
        self._part = PredictedTime(target)
        self._earlier = earlier
        self._is_whole = not has_earlier or (earlier is not None and earlier.is_whole)
        self._latest = None if earlier is None else earlier.model_copy(update={"is_whole": False})
        self._asked_at = float("-inf")
        self._paused_at: float | None = None
        self._is_measured = False  # up to the pause

    def so_far(self) -> Prediction | None:
        """Returns the sum of all parts; None without a prediction. What could not be measured is marked."""
        if self._paused_at is None:
            self._measure()
        return self._latest

    def final(self) -> Prediction | None:
        """Returns the same at the end of the work: no later measurement has what this one lacks, so it waits longer."""
        if self._paused_at is None and not self._measure(emulator.LONG_PATIENCE_S) and self._latest is not None:
            self._latest = self._latest.model_copy(update={"is_whole": False})
        return self._latest

    def _measure(self, patience_s: float | None = None) -> bool:
        """Measures up to here. Returns whether that gave a prediction: a later one has the time of a busy emulator."""
        try:
            own = self._part.prediction(patience_s) if self._part.is_possible else None
        except EmulatorBusy:
            return False
        if own is None:  # no disk model, or the emulator was started anew
            self._is_whole = False
            self._latest = self._latest and self._latest.model_copy(update={"is_whole": False})
            return False
        before = self._earlier
        self._latest = own.model_copy(
            update={
                "elapsed_s": own.elapsed_s + (0.0 if before is None else before.elapsed_s),
                "predicted_s": own.predicted_s + (0.0 if before is None else before.predicted_s),
                "is_whole": self._is_whole,
            }
        )
        return True

    def pause(self) -> None:
        """Ends a part: the time from here to `go_on` does not count."""
        self._paused_at = time.monotonic()
        self._is_measured = self._measure()

    def go_on(self) -> None:
        """Begins the next part. Where the emulator was busy, the part before goes on without the time of the pause."""
        if self._paused_at is None:
            return
        idle_s, self._paused_at = time.monotonic() - self._paused_at, None
        part = PredictedTime(self._target)
        if self._is_measured and part.is_possible:
            self._earlier, self._part = self._latest, part
        else:
            self._part.leave_out(idle_s)

    def recent(self) -> Prediction | None:
        """Returns the same, measured a moment ago at most: for records that come many times a second."""
        if not self._part.is_possible:
            return None
        if time.monotonic() - self._asked_at > RECENT_S:
            found = self.so_far()
            self._asked_at = time.monotonic()  # of the answer: a busy emulator is not asked without a pause
            return found
        return self._latest
