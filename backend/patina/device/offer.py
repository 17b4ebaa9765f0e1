"""File systems offered for a device: their requirements on it and its host, and their capacity there."""

from functools import lru_cache

from pydantic import BaseModel, Field

from patina.core.contract.age import CaptureMode
from patina.file_system.table import ROWS, FileSystem, estimated_capacity_bytes


class FileSystemOffer(BaseModel):
    """A file system's requirements on the device, and its capacity there."""

    name: FileSystem
    least_device_bytes: int = Field(description="Smallest device that it can be made on")
    capacity_estimate_bytes: int = Field(description="Estimated capacity; measured once mkfs has run")
    why_missing: str | None = Field(description="Why its host cannot make it, as a sentence's end; null if it can")
    refused_captures: dict[CaptureMode, str] = Field(description="Unsupported capture modes, and why")


@lru_cache(maxsize=1024)  # called for each device of each list
def offers(size_bytes: int, lacks: frozenset[tuple[str, str]], *, drops_data: bool) -> list[FileSystemOffer]:
    """Returns the offers for a device of that size, on a host that lacks these file systems, the default first.
    `drops_data`: it is an emulated disk that generates file data."""
    reasons = dict(lacks)
    return [
        FileSystemOffer.model_validate(
            {
                "name": name,
                "least_device_bytes": row.least_device_bytes,
                "capacity_estimate_bytes": estimated_capacity_bytes(size_bytes, name),
                "why_missing": reasons.get(name),
                "refused_captures": row.refused_captures_on(drops_data=drops_data),
            }
        )
        for name, row in ROWS.items()
    ]
