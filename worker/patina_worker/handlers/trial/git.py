"""Git aging: pulls commit by commit, with cold reads of everything between (Conway et al., FAST 2017)."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from patina.trial.measurement import DeviceTraffic, Point
from patina.trial.workload import GitWorkload
from patina_worker.handlers.trial.bench import FOLDER, Bench, Measured, sum_if_known
from patina_worker.handlers.trial.device_traffic import between, total
from patina_worker.handlers.trial.passes import grep
from patina_worker.handlers.trial.programs import ProgramFailed
from patina_worker.handlers.trial.repository import Source, opened

FULL_FRACTION = 0.75


@dataclass
class _Pulls:
    """What pulls cost."""

    count: int = 0  # of all clones
    elapsed_s: float = 0
    written_bytes: int | None = 0
    device: DeviceTraffic = field(default_factory=total)
    removed: list[str] = field(default_factory=list)  # clones whose pull failed


def git(bench: Bench, workload: GitWorkload) -> Measured:
    """Measures one variant. The unaged one has a part of the repetition for each point (parts.py)."""
    with opened(bench, workload) as source:
        return _copied(bench, source, workload) if workload.variant == "unaged" else _pulled(bench, source, workload)


def _pulled(bench: Bench, source: Source, workload: GitWorkload) -> Measured:
    with bench.mounted() as mount:
        used_before = bench.used_bytes()
        before = bench.traffic()
        clones = _cloned(bench, source, mount / FOLDER, fill=FULL_FRACTION if workload.variant == "full" else 0)
        allocated = between(before, bench.traffic())
    clones_count = len(clones)
    every = _Pulls()
    points = [_point(bench, 0, every, elapsed_s=None)]
    for begin, end in zip(workload.measured_at, workload.measured_at[1:], strict=False):
        pulls = _pull(bench, source, clones, begin, end)
        points.append(_point(bench, end, pulls, elapsed_s=pulls.elapsed_s))
        _add(every, pulls)
    with bench.mounted():
        space_amplification = bench.space_amplification(used_before)
    return Measured(
        value=points[-1].value,
        elapsed_s=every.elapsed_s,
        allocated=allocated,
        device=every.device,
        written_bytes=every.written_bytes,
        space_amplification=space_amplification,
        figures={
            "clones_count": clones_count,
            "removed_clones_count": len(every.removed),
            "used_bytes": points[-1].used_bytes,
        },
        points=points,
    )


def _cloned(bench: Bench, source: Source, folder: Path, *, fill: float) -> list[Path]:
    """Clones the first commit once, and then for as long as another clone leaves the file system below `fill`."""
    folder.mkdir()
    clones: list[Path] = []
    before = _used_fraction(folder)
    while True:
        clone = folder / f"clone-{len(clones) + 1}"
        bench.say(f"cloning, {len(clones) + 1}")
        source.clone(clone)
        bench.sync()
        clones.append(clone)
        used = _used_fraction(folder)
        if used + (used - before) / len(clones) > fill:
            return clones


def _used_fraction(folder: Path) -> float:
    """Returns how full the file system is, in blocks or inodes; some have no limit of inodes."""
    state = os.statvfs(folder)
    of_inodes = 1 - state.f_ffree / state.f_files if state.f_files else 0.0
    return max(1 - state.f_bfree / state.f_blocks, of_inodes)


def _pull(bench: Bench, source: Source, clones: list[Path], begin: int, end: int) -> _Pulls:
    """Pulls each clone in turn, commit by commit, and syncs after each pull. One whose pull fails is removed."""
    pulls = _Pulls()
    with bench.mounted():
        before = bench.traffic()
        for number in range(begin + 1, end + 1):
            source.move_to(number)
            bench.say(f"pull {number}")
            for clone in list(clones):
                _pull_one(bench, source, clone, clones, pulls)
        pulls.device = between(before, bench.traffic())
    return pulls


def _pull_one(bench: Bench, source: Source, clone: Path, clones: list[Path], pulls: _Pulls) -> None:
    pulls.count += 1
    began = time.monotonic()
    ran = source.pull(clone, accepted=tuple(range(256)))
    pulls.written_bytes = sum_if_known([pulls.written_bytes, ran.dirtied_bytes])
    if ran.returncode != 0:
        if len(clones) == 1:
            raise ProgramFailed(
                f"git pull failed in the last clone with exit status {ran.returncode}; see its output below.",
                log=ran.stderr[-4000:],
            )
        clones.remove(clone)
        pulls.removed.append(clone.name)
        bench.run(["rm", "--recursive", "--force", "--", str(clone)], "coreutils")
    bench.sync()
    pulls.elapsed_s += time.monotonic() - began


def _copied(bench: Bench, source: Source, workload: GitWorkload) -> Measured:
    """Pulls beside the device, and copies the result to it."""
    staging = bench.scratch / "staging"
    source.clone(staging)
    at = workload.pulls_count if bench.part is None else bench.part
    for number in range(1, at + 1):
        source.move_to(number)
        bench.say(f"pull {number}, beside the device")
        source.pull(staging)
    bench.sync(bench.scratch)  # its writeback must not disturb what follows
    with bench.mounted() as mount:
        (mount / FOLDER).mkdir()
        before = bench.traffic()
        copied = bench.run(["cp", "--archive", "--", str(staging), str(mount / FOLDER)], "coreutils")
        device = between(before, bench.traffic())
    point = _point(bench, at, _Pulls(written_bytes=copied.dirtied_bytes, device=device), elapsed_s=None)
    return Measured(
        value=point.value,
        elapsed_s=copied.elapsed_s,
        device=device,
        written_bytes=copied.dirtied_bytes,
        figures={"used_bytes": point.used_bytes},
        points=[point],
    )


def _point(bench: Bench, at: int, pulls: _Pulls, *, elapsed_s: float | None) -> Point:
    """Measures what is there after so many commits. `pulls`: what led to it."""
    bench.say(f"grep after {at} pulls")
    read = grep(bench, None)
    return Point(
        at=at,
        value=read.value,
        used_bytes=int(read.figures["used_bytes"]),
        pulls_count=pulls.count,
        elapsed_s=elapsed_s,
        written_bytes=pulls.written_bytes,
        device_written_bytes=pulls.device.written_bytes,
    )


def _add(every: _Pulls, pulls: _Pulls) -> None:
    every.count += pulls.count
    every.elapsed_s += pulls.elapsed_s
    every.written_bytes = (
        None
        if every.written_bytes is None or pulls.written_bytes is None
        else every.written_bytes + pulls.written_bytes
    )
    every.device = total(every.device, pulls.device)
    every.removed += pulls.removed
