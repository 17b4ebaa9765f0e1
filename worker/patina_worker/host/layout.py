"""Measures the layout of the file system on an unmounted device."""

from collections.abc import Callable

from patina.core.contract.age import LAYOUT, FreeExtents, Layout
from patina.core.failure import CoreFailed
from patina.core.supervised import run_core


def in_words(layout: Layout) -> str:
    """Returns one line for a run's log."""
    files = layout.files
    if files is None or files.mean_extents_count is None or files.layout_score is None:
        return f"Layout measured: {layout.free_extents.extents_count} free extents"
    return (
        f"Layout measured: {files.files_with_data_count} files in {files.mean_extents_count:.3g} extents each, "
        f"layout score {files.layout_score:.3f}, {layout.free_extents.extents_count} free extents"
    )


def measure_layout(path: str, *, check: Callable[[], bool], inherit: tuple[int, ...] = ()) -> Layout:
    """Returns the layout. CoreFailed with layout_unsupported: unknown file system, or a journal to replay."""
    return run_core(LAYOUT, ["--device", path], check=check, inherit=inherit)


def free_extents_on(path: str, *, check: Callable[[], bool], inherit: tuple[int, ...] = ()) -> FreeExtents | None:
    """Returns the free extents; None where no layout of this file system can be measured."""
    try:
        return measure_layout(path, check=check, inherit=inherit).free_extents
    except CoreFailed as error:
        if error.code != "layout_unsupported":
            raise
        return None
