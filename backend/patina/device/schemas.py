"""What the API says and takes of devices."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.age import CaptureMode
from patina.device.facts import DeviceFacts
from patina.device.state import DeviceState
from patina.file_system.table import FileSystem
from patina.host.schemas import HostMark

MIN_SANDBOX_BYTES = 64 * 2**20


class LeaseRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    holder: str = Field(description="run 42")
    acquired_at: datetime
    expires_at: datetime | None


class FileSystemOffer(BaseModel):
    """What a file system needs of the device, and gives there."""

    name: FileSystem
    least_device_bytes: int = Field(description="It cannot be made on a smaller device")
    capacity_estimate_bytes: int = Field(description="What it will offer; measured only once mkfs has run")
    why_missing: str | None = Field(description="Why its host cannot make it, as a sentence's end; null where it can")
    refused_captures: dict[CaptureMode, str] = Field(description="The capture modes that it has not, and why")


class DeviceRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    host: HostMark
    stable_id: str
    kind: Literal["sandbox", "attached"]
    medium: Literal["file", "memory"] | None
    path: str | None
    model: str | None
    serial: str | None
    size_bytes: int
    file_systems: list[FileSystemOffer] = Field(description="The usual one first")
    fits_in_memory: bool = Field(
        description="Whether a run with the default mode and data can age it in memory first, now"
    )
    is_rotational: bool
    state: DeviceState
    state_reason: str | None
    holds: str | None
    facts: DeviceFacts | None = Field(description="What its host's worker sees of it; null until it has looked")
    expires_at: datetime | None = Field(description="When a sandbox device is removed, once nothing holds it")
    active_lease: LeaseRead | None
    seen_at: datetime | None


class DeviceList(BaseModel):
    items: list[DeviceRead]


class SandboxCreate(BaseModel):
    """A sandbox device: a loop device over a sparse file, or over a file in memory (tmpfs)."""

    model_config = ConfigDict(extra="forbid")

    size_bytes: Annotated[int, Field(ge=MIN_SANDBOX_BYTES, le=2**50, multiple_of=4096)]
    medium: Literal["file", "memory"] = "file"
    host_name: str | None = Field(default=None, description="The only host when absent")
    expires_in_s: Annotated[int, Field(ge=60, le=10**8)] | None = None
