"""The file systems that a device can be aged with: what each needs of it and of its host, and what it gives there."""

from functools import lru_cache

from pydantic import BaseModel, Field

from patina.core.contract.age import CaptureMode
from patina.file_system.table import ROWS, FileSystem, estimated_capacity_bytes


class FileSystemOffer(BaseModel):
    """What a file system needs of the device, and gives there."""

    name: FileSystem
    least_device_bytes: int = Field(description="It cannot be made on a smaller device")
    capacity_estimate_bytes: int = Field(description="What it will offer; measured only once mkfs has run")
    why_missing: str | None = Field(description="Why its host cannot make it, as a sentence's end; null where it can")
    refused_captures: dict[CaptureMode, str] = Field(description="The capture modes that it has not, and why")


@lru_cache(maxsize=1024)  # for each device of each list
def offers(size_bytes: int, lacks: frozenset[tuple[str, str]]) -> list[FileSystemOffer]:
    """Of a device of that size, on a host that lacks these, for the reasons given. The usual one first."""
    reasons = dict(lacks)
    return [
        FileSystemOffer.model_validate(
            {
                "name": name,
                "least_device_bytes": row.least_device_bytes,
                "capacity_estimate_bytes": estimated_capacity_bytes(size_bytes, name),
                "why_missing": reasons.get(name),
                "refused_captures": row.refused_captures,
            }
        )
        for name, row in ROWS.items()
    ]
