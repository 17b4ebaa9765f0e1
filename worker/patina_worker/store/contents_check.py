"""Proves an image that leaves bytes out, before it is published: its file system equals the device's.

partclone once lost chunk roots of btrfs, unnoticed until the restore (partclone#303).
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from patina.core.contract.age import RESTORE, CaptureSummary, Layout
from patina.core.supervised import run_core
from patina.figures import in_bytes
from patina.settings import settings
from patina_worker.failure import ImageDiffers, ScratchNoSpace
from patina_worker.host import loop_device, scratch
from patina_worker.host.file_system import require_clean
from patina_worker.host.layout import measure_layout


def prove(*, index: Path, file_system: str, summary: CaptureSummary, layout: Layout, check: Callable[[], bool]) -> None:
    """Restores it to a scratch file, checks that, compares the layout. ScratchNoSpace, FsckFailed or ImageDiffers.

    A kill at any moment leaves neither the file nor its loop device.
    """
    _require_space(scratch.folder(), summary)
    with scratch.file() as descriptor:
        os.ftruncate(descriptor, summary.device_bytes)
        _restore(index, summary, descriptor, check)
        with loop_device.attached(descriptor, index.stem) as (path, _):
            require_clean(file_system, path)
            found = measure_layout(path, check=check)
    if found.layout_digest != layout.layout_digest:
        raise ImageDiffers(
            f"The image has the layout digest {found.layout_digest}, the device it was captured from "
            f"{layout.layout_digest}. It was not published. Capture in mode exact, and report this."
        )


def require_held(path: str, layout: Layout | None, *, file_system: str, check: Callable[[], bool], lock: int) -> None:
    """Checks that an emulated disk, which drops data, holds the image with this layout. FsckFailed or ImageDiffers."""
    require_clean(file_system, path, lock=lock)
    found = measure_layout(path, check=check, inherit=(lock,)) if layout is not None else None
    if found is not None and layout is not None and found.layout_digest != layout.layout_digest:
        raise ImageDiffers(
            f"{path} has the layout digest {found.layout_digest}, the image {layout.layout_digest}: the emulated disk "
            "does not hold the image. Restore it again, and report this."
        )


def _require_space(folder: Path, summary: CaptureSummary) -> None:
    """Raises ScratchNoSpace unless the image's data fits, rather than fill the disk."""
    # Of its chunks, only the blocks that are not zero are written: they were read.
    needed = min(summary.device_bytes - summary.zero_bytes, summary.read_bytes)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ScratchNoSpace(
            f"To check the image takes {in_bytes(needed)} in {folder}, which has {in_bytes(free)} left. "
            "Make room there, or capture in mode exact, which needs no check."
        )


def _restore(index: Path, summary: CaptureSummary, descriptor: int, check: Callable[[], bool]) -> None:
    argv = ["--index", str(index), "--index-digest", summary.index_digest]
    argv += ["--store", str(settings().store_dir), "--assume", "zero", "--device", f"/proc/self/fd/{descriptor}"]
    run_core(RESTORE, argv, check=check, inherit=(descriptor,))
