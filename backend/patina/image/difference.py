"""Compares the bytes of two images by their indexes, with `patina-core diff`."""

import tempfile
import time
from pathlib import Path

from pydantic import BaseModel, Field

from patina.core.client import CoreUnavailable
from patina.core.contract.image import DIFF, ChangeMap, DiffSummary, DistinctChunks
from patina.core.failure import StepFailed
from patina.core.supervised import Limits, run_core
from patina.image.download import open_index
from patina.image.models import Image
from patina.image.place import require_here
from patina.image.schemas import ImageLink

CELLS_COUNT = 1024
PATIENCE_S = 120.0
MEMORY_BYTES = 4 * 2**30


class ImageDifference(BaseModel):
    """Bytes and chunks that two images share or not. A chunk of zeroes counts like any other."""

    first: ImageLink
    second: ImageLink
    first_bytes: int
    second_bytes: int
    changed_bytes: int = Field(
        description="Bytes in chunks that differ at the same place, and the excess of the longer"
    )
    changed_extents_count: int = Field(description="Contiguous ranges of these")
    shared: DistinctChunks
    only_first: DistinctChunks
    only_second: DistinctChunks
    map: ChangeMap


def difference(first: Image, second: Image) -> ImageDifference:
    """Returns the difference. Reads both indexes: takes seconds for large images. Raises ImageElsewhere, IndexMissing,
    IndexInvalid, CoreUnavailable."""
    for image in (first, second):
        require_here(image)
    with tempfile.TemporaryDirectory() as folder:
        # Copies: an index may be in the bucket, and both are checked against the catalog as they are read.
        files = [_copy(image, Path(folder) / name) for image, name in ((first, "first"), (second, "second"))]
        found = _compared([*files, "--cells", str(CELLS_COUNT)])
    assert found.map is not None, "an image has bytes"
    own = ImageDifference.model_fields.keys() & DiffSummary.model_fields.keys()
    links = [ImageLink(id=image.id, name=image.name) for image in (first, second)]
    return ImageDifference(first=links[0], second=links[1], **{name: getattr(found, name) for name in own})


def _copy(image: Image, to: Path) -> str:
    with open_index(image.index_name, image.index_digest) as index, to.open("wb") as file:
        file.writelines(index.content())
    return str(to)


def _compared(argv: list[str]) -> DiffSummary:
    last = time.monotonic() + PATIENCE_S
    try:
        return run_core(DIFF, argv, check=lambda: time.monotonic() > last, limits=Limits(memory_bytes=MEMORY_BYTES))
    except StepFailed as error:
        raise CoreUnavailable(f"patina-core diff: {error.message}") from error
